import { expect, test } from 'vitest';
import { readMessage } from '../../src/service/bounces/read-message.js';
import { corpus, type LabeledMessage } from './corpus.js';

async function read({ raw, want, is }: LabeledMessage) {
  const reading = await readMessage(Buffer.from(raw));
  const found =
    reading.type === 'bounce' ? Object.fromEntries(reading.bounces.map(({ address, kind }) => [address, kind])) : {};
  return { found, want, is: reading.type, wantIs: is ?? 'bounce', rows: JSON.stringify(reading) };
}

test('recipients and kinds of the corpus', async () => {
  const failures: string[] = [];
  const counts = { messages: 0, recipients: 0, found: 0, right: 0, policyAsHard: 0, invented: 0, wrongSort: 0 };
  for (const message of corpus) {
    const { found, want, is, wantIs, rows } = await read(message);
    // No subject and no body is in a row.
    expect(rows).not.toMatch(/autumn|Dear reader|shop\.example/i);
    counts.messages++;
    if (is !== wantIs) counts.wrongSort++;
    for (const [address, kind] of Object.entries(want)) {
      counts.recipients++;
      if (found[address] !== undefined) counts.found++;
      if (found[address] === kind) counts.right++;
      if (kind === 'policy' && found[address] === 'hard') counts.policyAsHard++;
    }
    counts.invented += Object.keys(found).filter((address) => want[address] === undefined).length;
    if (JSON.stringify(found) !== JSON.stringify(want) || is !== wantIs) {
      failures.push(`${message.name}: ${is} ${JSON.stringify(found)} instead of ${wantIs} ${JSON.stringify(want)}`);
    }
  }
  expect(failures).toEqual([]);
  expect(counts.messages).toBeGreaterThanOrEqual(150);
  expect(counts.found / counts.recipients).toBeGreaterThanOrEqual(0.97);
  expect(counts.right / counts.recipients).toBeGreaterThanOrEqual(0.95);
  expect(counts.policyAsHard + counts.invented + counts.wrongSort).toBe(0);
});
