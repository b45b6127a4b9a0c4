import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { FaultPlan } from '../fakes/fault-proxy.js';

/** A fault, as a description and as a plan for every connection or datagram. */
export interface NamedFault {
  name: string;
  plan: FaultPlan;
}

/** Not a line of SMTP or HTTP in any context. */
const noise = Buffer.concat([Buffer.from('\x00\xff\xfe%%\r\n'), randomBytes(16), Buffer.from('\r\n')]);

/** The faults of a network in the data of a server; `middle` is within it, `start` before its first complete line. */
export function faultsAt({ start, middle }: { start: number; middle: number }): NamedFault[] {
  const each = (name: string, plan: FaultPlan) => ({ name, plan });
  return [
    each('none', () => ({ kind: 'none' })),
    each('latency of 60 ms', () => ({ kind: 'latency', ms: 60 })),
    each('jitter of up to 80 ms', () => ({ kind: 'latency', ms: 0, jitterMs: 80 })),
    each('one byte at a time', () => ({ kind: 'drip' })),
    each('order of connections turned round', () => ({ kind: 'reorder' })),
    each('cut before the first byte', () => ({ kind: 'cut', after: 0 })),
    each('cut in the middle', () => ({ kind: 'cut', after: middle })),
    each('reset before the first byte', () => ({ kind: 'reset', after: 0 })),
    each('reset in the middle', () => ({ kind: 'reset', after: middle })),
    each('half-open from the start', () => ({ kind: 'half_open', after: 0 })),
    each('half-open in the middle', () => ({ kind: 'half_open', after: middle })),
    each('garbage at the start', () => ({ kind: 'garbage', after: start, noise })),
    each('garbage in the middle', () => ({ kind: 'garbage', after: middle, noise })),
    each('every second one cut', (nth) => (nth % 2 === 0 ? { kind: 'cut', after: middle } : { kind: 'none' })),
    each('the first three cut', (nth) => (nth <= 3 ? { kind: 'cut', after: middle } : { kind: 'none' })),
  ];
}

/** The outcomes, by fault and path. */
export class FaultMatrix {
  private readonly cells = new Map<string, Map<string, string>>();

  constructor(
    private readonly faults: readonly string[],
    private readonly paths: readonly string[],
  ) {}

  note(fault: string, path: string, seen: readonly string[]): void {
    const row = this.cells.get(fault) ?? new Map<string, string>();
    const kinds = new Set(seen);
    row.set(path, kinds.size === 1 ? (seen[0] ?? '') : seen.join(' · '));
    this.cells.set(fault, row);
  }

  /** Writes the table as Markdown. */
  write(file: string, heading: string): void {
    const head = ['fault', ...this.paths];
    const seen = (fault: string, path: string) => this.cells.get(fault)?.get(path) ?? '–';
    const rows = this.faults.map((fault) => [fault, ...this.paths.map((path) => seen(fault, path))]);
    const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    writeFileSync(file, `${heading}\n\n${table.join('\n')}\n`);
  }
}
