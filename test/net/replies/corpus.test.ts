import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { explicitCertainty } from '../../../src/net/replies/reading.js';
import { labeledReplies, readLabeled } from './corpus.js';

const corpora = [
  { name: 'classifier-rules-and-forums-tuned', floor: 0.98 },
  { name: 'classifier-rules-and-forums-held-out', floor: 0.97 },
  { name: 'repository-tests-and-logs-1', floor: 0.95 },
  { name: 'repository-tests-and-logs-2', floor: 0.97 },
  { name: 'provider-replies', floor: 0.97 },
  { name: 'bounce-handlers-and-log-parsers-tuned', floor: 0.97 },
  { name: 'bounce-handlers-and-log-parsers-held-out', floor: 0.97 },
  { name: 'sender-rules-and-qmail', floor: 0.97 },
  { name: 'server-settings-and-bounce-rules-tuned', floor: 0.97 },
  { name: 'server-settings-and-bounce-rules-held-out', floor: 0.97 },
  { name: 'log-lines-and-classifier-tests', floor: 0.97 },
  { name: 'bounce-parsers-and-log-readers-tuned', floor: 0.97 },
  { name: 'bounce-parsers-and-log-readers-held-out', floor: 0.97 },
  { name: 'go-smtp-and-haraka-plugins', floor: 0.97 },
  { name: 'subethasmtp-and-milters', floor: 0.97 },
  { name: 'log-tests-and-issue-threads', floor: 0.97 },
  { name: 'help-pages-and-library-exceptions', floor: 0.97 },
  { name: 'hosting-help-and-refusal-lists', floor: 0.97 },
  { name: 'small-server-sources-tuned', floor: 0.97 },
  { name: 'small-server-sources-held-out', floor: 0.97 },
  { name: 'debian-packages-and-vendor-docs-tuned', floor: 0.97 },
  { name: 'debian-packages-and-vendor-docs-held-out', floor: 0.97 },
  { name: 'mail-workers-and-program-tests-tuned', floor: 0.97 },
  { name: 'mail-workers-and-program-tests-held-out', floor: 0.95 },
];

describe.each(corpora)('published replies, $name', ({ name, floor }) => {
  const read = labeledReplies(name).map((row) => ({ row, ...readLabeled(row) }));
  const share = (count: number) => `${count} of ${read.length} (${((100 * count) / read.length).toFixed(1)} %)`;

  test('no good address is called invalid, and nearly all are read as labeled', () => {
    const asLabeled = read.filter((each) => each.asLabeled).length;
    const sameStatus = read.filter((each) => each.sameStatus).length;
    const invalid = read.filter((each) => each.goodCalledInvalid);
    const misread = read.filter((each) => !each.asLabeled);
    console.log(
      `${name}: as labeled ${share(asLabeled)}, same status ${share(sameStatus)}, ${invalid.length} good called invalid`,
    );
    if (process.env['REPLIES'] === name) {
      for (const { row, reason, alone, goodCalledInvalid } of misread)
        console.log(
          `${goodCalledInvalid ? '!! ' : ''}${row.labels.join('|')} <- ${reason}${alone.vague ? ' (vague)' : ''} by ${alone.rule} "${alone.phrase ?? ''}": ${row.text.replaceAll('\n', ' / ')}`,
        );
    }
    expect(invalid.map(({ row }) => row.text)).toEqual([]);
    expect(sameStatus / read.length).toBeGreaterThanOrEqual(0.98);
    expect(asLabeled / read.length).toBeGreaterThanOrEqual(floor);
  });
});

describe('the confidence in a refusal is the measured share', () => {
  test('of plain words and codes, without control mailboxes', () => {
    const readme = readFileSync(new URL('../../fixtures/replies/README.md', import.meta.url), 'utf8');
    const wrongCount = [...readme.matchAll(/^\| `.*\| (\d+) \|$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
    const absent = corpora
      .flatMap(({ name }) => labeledReplies(name))
      .filter(({ labels: [best] }) => best === 'mailbox_not_found' || best === 'mailbox_disabled').length;
    expect(wrongCount).toBeGreaterThan(0);
    expect(explicitCertainty).toBeCloseTo(absent / (absent + wrongCount), 2);
  });

  test('of refusals that an accepted mailbox settles, without labels for single hosts', () => {
    const read = corpora
      .flatMap(({ name }) => labeledReplies(name))
      .filter(({ stage, labels }) => stage === 'rcpt' && !labels.includes('vague'))
      .map((row) => readLabeled(row, 'another mailbox accepted'))
      .filter(({ reason }) => reason === 'mailbox_not_found');
    expect(read.filter(({ sameStatus }) => sameStatus).length / read.length).toBeCloseTo(0.86, 2);
  });
});

describe('all published replies', () => {
  const rows = corpora.flatMap(({ name }) => labeledReplies(name));
  // Controls decide what `vague` means, so such a label is neither right nor wrong.
  const isClear = (labels: readonly string[]) => !labels.includes('vague');

  test.each([
    { known: 'none', maxUnknown: 0.14 },
    { known: 'postmaster refused', maxUnknown: 0.14 },
    { known: 'postmaster accepted', maxUnknown: 0.14 },
    { known: 'another mailbox accepted', maxUnknown: 0.07 },
  ] as const)('no good address is called invalid; control: $known', ({ known, maxUnknown }) => {
    const read = rows.map((row) => ({ row, ...readLabeled(row, known) }));
    const absences = read.filter(({ isAbsence }) => isAbsence);
    const unknown = absences.filter(({ status }) => status === 'unknown').length / absences.length;
    const falseInvalid = read.filter(({ row, goodCalledInvalid }) => goodCalledInvalid && isClear(row.labels));
    console.log(
      `${known}: ${falseInvalid.length} of ${read.length} wrong, ${(100 * unknown).toFixed(1)}% of absences unknown`,
    );
    // A host that accepts other mailboxes does not refuse this one because of the client, so most labels do not apply.
    if (known !== 'another mailbox accepted') expect(falseInvalid.map(({ row }) => row.text)).toEqual([]);
    expect(unknown).toBeLessThanOrEqual(maxUnknown);
  });
});

// Not among the others: most of these repeat the words of an older row, and would count twice in the confidence.
describe('replies as they were met in logs, bounces and threads', () => {
  const rows = labeledReplies('found-in-the-wild');

  test.each(['none', 'postmaster refused', 'postmaster accepted'] as const)(
    'are read as labeled, and no good address is called invalid; control: %s',
    (known) => {
      const read = rows.map((row) => ({ row, ...readLabeled(row, known) }));
      const absences = read.filter(({ isAbsence }) => isAbsence);
      expect(read.filter(({ goodCalledInvalid }) => goodCalledInvalid).map(({ row }) => row.text)).toEqual([]);
      expect(read.filter(({ asLabeled }) => asLabeled).length / read.length).toBeGreaterThanOrEqual(0.98);
      expect(absences.filter(({ status }) => status === 'unknown').length / absences.length).toBeLessThanOrEqual(0.09);
    },
  );
});
