import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startNetwork } from '../fakes/network.js';
import { amount } from '../size.js';
import { bareEnvironment, startBinary, waitForExit } from './run-binary.js';

const nights = amount(3, 30);
const listRows = amount(300, 10_000);
const fresh = 15;
const undecided = 5;
/** The maximum number of probes in a night with 20 changes: each new address, two made-up mailboxes, and a second visit. */
const mostQuestions = 80;
const mostStoreBytes = 60 * 1024 * 1024;

test(
  `${nights} nights of ${listRows} rows: known addresses are not asked again, and each night counts its changes`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailvet-nights-'));
    const env = bareEnvironment();
    const list = join(folder, 'list.csv');
    let night = 0;
    let rcpts = 0;
    const network = await startNetwork({
      rcpt: (address) => {
        rcpts++;
        if (!address.startsWith('person')) return '550 5.1.1 no such user';
        // Some are unknown in the first night.
        return address.startsWith(`person-later-${night}-`) ? '451 4.3.0 local trouble' : '250 2.1.5 ok';
      },
    });
    const run = async (): Promise<void> => {
      const reuse = ['--max-age', '30d', '--greylist-wait', '0'];
      const output = ['-o', join(folder, 'new.csv')];
      const args = ['upload', list, '--yes', '--wait', '--quiet', ...reuse, ...output, ...network.flags];
      const end = await waitForExit(startBinary(args, env));
      expect(end, end.err).toMatchObject({ status: 0, out: '' });
    };
    const diff = async (): Promise<Record<string, number>> => {
      const [last, latest] = [join(folder, 'out.csv'), join(folder, 'new.csv')];
      const { status, out } = await waitForExit(startBinary(['diff', last, latest, '--json'], env));
      expect(status).toBe(0);
      renameSync(latest, last);
      const { new: added, same, changed: moved, gone } = JSON.parse(out);
      return { new: added, same, changed: moved, gone };
    };
    try {
      let people = Array.from({ length: listRows }, (_, row) => `person${row}@site${row % 500}.com`);
      for (night = 0; night <= nights; night++) {
        if (night > 0) people = changed(people, night);
        writeFileSync(list, `email\n${people.map((email) => `${email}\n`).join('')}`);
        rcpts = 0;
        await run();
        const job = await waitForExit(startBinary(['jobs', 'get', 'latest'], env));
        const { total, valid_count, unknown_count } = JSON.parse(job.out);
        const changes = await diff();
        const storeBytes = statSync(join(env['MAILVET_HOME'] ?? '', 'store.db')).size;
        const undecidedNow = night === 0 ? 0 : undecided;
        const counts = { total: listRows, valid_count: listRows - undecidedNow, unknown_count: undecidedNow };
        expect({ night, total, valid_count, unknown_count }).toEqual({ night, ...counts });
        expect({ night, ...changes }).toEqual({ night, ...expectedChanges(night) });
        expect(storeBytes).toBeLessThan(mostStoreBytes);
        if (night > 0) expect([night, rcpts]).toEqual([night, Math.min(rcpts, mostQuestions)]);
      }
    } finally {
      await network.stop();
    }
    rmSync(folder, { recursive: true });
  },
  60_000 + nights * 20_000,
);

/** Removes the oldest rows, and adds as many new ones. */
function changed(people: readonly string[], night: number): string[] {
  const newRows = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, row) => `person-${kind}-${night}-${row}@site${(night * 20 + row) % 500}.com`);
  return [...people.slice(fresh + undecided), ...newRows('sure', fresh), ...newRows('later', undecided)];
}

function expectedChanges(night: number): Record<'new' | 'same' | 'changed' | 'gone', number> {
  if (night === 0) return { new: listRows, same: 0, changed: 0, gone: 0 };
  const moved = fresh + undecided;
  const decided = night === 1 ? 0 : undecided;
  return { new: moved, same: listRows - moved - decided, changed: decided, gone: moved };
}
