import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { quotedName } from '../../model/text/shell-word.js';
import type { Context } from '../context.js';
import type { OutputOptions } from '../flags/output-flags.js';
import { type Format, formatByExtension } from '../render/rows/formats.js';
import { openFileSink } from '../terminal/file-sink.js';
import type { Sink } from '../terminal/terminal.js';

type OutputContext = Pick<Context, 'terminal' | 'note' | 'warn'>;

/** A file or stdout, and the format of results in it. */
export interface Output {
  sink: Sink;
  format: Format;
  /** The file that is replaced on success; null for stdout and devices. */
  path: string | null;
  /** Renames the temporary file to its target. */
  finish(): Promise<void>;
  /** Leaves the target. Keeps what a guard rejected beside it and returns its name for a sentence; null if nothing is kept. */
  abandon(isRejected: boolean): Promise<string | null>;
}

/** Opens stdout or the requested file. `piped` is the default format of an output that is not a terminal. */
export async function openOutput(context: OutputContext, options: OutputOptions, piped: Format): Promise<Output> {
  if (options.path === null) {
    const { stdout } = context.terminal;
    const format = options.format ?? (stdout.isTty ? 'table' : piped);
    return { sink: stdout, format, path: null, finish: async () => {}, abandon: async () => null };
  }
  const { isAtomic, ...file } = await openFileSink(options.path);
  const extension = extname(options.path.replace(/\.gz$/i, '')).slice(1);
  const format = options.format ?? piped;
  if ((formatByExtension(extension) ?? format) !== format) {
    context.note(`${quotedName(options.path)} is written as ${format}, whatever its extension says.`);
  }
  const abandon: Output['abandon'] = async (isRejected) => {
    const kept = await file.abandon(isRejected);
    return kept === null ? null : quotedName(kept);
  };
  return { ...file, abandon, format, path: isAtomic ? options.path : null };
}

/** Runs work that writes to an output. The target is replaced only if it succeeds and `rejects` returns no reasons, which are shown. */
export async function runWithOutput<Answer>(
  context: OutputContext,
  output: {
    /** The files that are replaced on success. */
    paths?: readonly string[];
    finish(): Promise<void>;
    abandon(isRejected: boolean): Promise<string | null>;
  },
  work: () => Promise<Answer>,
  rejects: (answer: Answer) => readonly string[] = () => [],
): Promise<Answer> {
  let answer: Answer;
  let reasons: readonly string[];
  try {
    answer = await work();
    reasons = rejects(answer);
    if (reasons.length === 0) await output.finish();
  } catch (thrown) {
    await output.abandon(false);
    throw thrown;
  }
  if (reasons.length === 0) return answer;
  for (const text of reasons) context.warn(text);
  const kept = await output.abandon(true);
  if (kept !== null) context.warn(`${unchangedText(output.paths ?? [])}; the output of this run is in ${kept}.`);
  return answer;
}

/** Says that a rejected run replaced none of its files. */
function unchangedText(paths: readonly string[]): string {
  const earlier = paths.filter((path) => existsSync(path));
  const named = earlier.length > 0 ? earlier : paths;
  const names = named.map((path) => quotedName(path)).join(', ');
  if (earlier.length > 0) return `${names} ${named.length === 1 ? 'is' : 'are'} unchanged`;
  return `${names} ${named.length === 1 ? 'was' : 'were'} not written`;
}
