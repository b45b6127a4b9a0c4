import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localCallerWith } from '../../../src/async/caller.js';
import type { ValidationResult } from '../../../src/model/result.js';
import { vetList } from '../../../src/service/local/vet-list.js';
import { freshFolder } from '../../cli/run-cli.js';
import { resultOf } from '../../fakes/service.js';

test('a stopped run journals the answers that it yields, and no later ones, so that both counts agree', async () => {
  const path = join(freshFolder(), 'journal');
  const stop = new AbortController();
  const waiting = new Map<string, () => void>();
  const vet = (email: string) =>
    new Promise<ValidationResult>((resolve, reject) => {
      waiting.set(email, () => resolve(resultOf(email)));
      if (email.startsWith('open')) stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
    });
  const emails = ['first@x.example', 'late@x.example', 'open@x.example', 'known@x.example'];
  const run = {
    ...{ vet, level: 'smtp', maxOpen: 10, greylistWaitMs: 0 },
    ...{ isResolverDown: () => false, onWait: () => {} },
  };
  const answered: string[] = [];
  const consume = async (): Promise<void> => {
    const caller = localCallerWith(stop.signal);
    for await (const batch of vetList(run, inOneChunk(emails), { caller, journal: { path, earlier: [] } })) {
      answered.push(...batch.filter((answer) => !answer.unanswered).map(({ result }) => result.email));
      if (stop.signal.aborted) waiting.get('late@x.example')?.();
      stop.abort(new Error('stopped'));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const running = consume();
  while (waiting.size < emails.length) await new Promise((resolve) => setImmediate(resolve));
  for (const email of ['first@x.example', 'known@x.example']) waiting.get(email)?.();
  await expect(running).rejects.toThrow('stopped');
  const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const journaled = lines.map((line) => (JSON.parse(line) as ValidationResult).email);
  expect(journaled.sort()).toEqual(['first@x.example', 'known@x.example']);
  expect(answered.sort()).toEqual(journaled);
});

async function* inOneChunk(emails: readonly string[]) {
  yield emails;
}
