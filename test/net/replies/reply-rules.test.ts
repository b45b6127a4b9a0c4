import { expect, test } from 'vitest';
import type { SmtpReply } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { replyRules } from '../../../src/net/replies/reply-rules.js';
import { parseReply } from '../../fakes/parse-reply.js';

const rows = replyRules().map(({ table, name, example }) => ({ table, name, example }));
const withExamples = rows.filter(({ example }) => example !== '-');

function stageOf({ table, name }: { table: string; name: string }) {
  if (table !== 'early') return 'rcpt';
  return name === 'refused before EHLO, or a login is required' ? 'banner' : 'mail';
}

test.each(withExamples)('$table: "$name" decides $example', (row) => {
  const read = readReply(parseReply(row.example, stageOf(row)) as SmtpReply, { recipient: 'ghost@example.com' });
  expect(read.vague ? 'the controls' : read.decidedBy).toBe(read.vague ? 'the controls' : row.name);
});

test('few rows depend on more than a reply', () => {
  expect(rows.filter(({ example }) => example === '-').length).toBeLessThanOrEqual(4);
});

test('the last row of each table applies to everything', () => {
  for (const table of ['early', 'deferral', 'refusal', 'other'])
    expect(replyRules().findLast((rule) => rule.table === table)?.when, table).toEqual([]);
});
