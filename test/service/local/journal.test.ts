import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { journalLevel, openJournal } from '../../../src/service/local/journal.js';
import { knownAnswer } from '../../fakes/job-lab.js';

const keyOf = (email: string): string => email.toLowerCase();
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the journal of a run', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mailvet-journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const pathOf = (name: string): string => join(folder, name);
  const written = (name: string, emails: readonly string[], level = 'smtp'): string => {
    const journal = openJournal({ path: pathOf(name), earlier: [] }, level, keyOf);
    for (const email of emails) journal.add(knownAnswer(email));
    journal.close();
    return pathOf(name);
  };
  const found = (paths: readonly string[], emails: readonly string[], level = 'smtp'): (string | null)[] => {
    const journal = openJournal({ path: pathOf('next'), earlier: paths }, level, keyOf);
    const answers = emails.map((email) => journal.find(keyOf(email))?.email ?? null);
    journal.close();
    return answers;
  };

  test('an answer is found again in full, under any spelling', () => {
    const journal = openJournal({ path: pathOf('next'), earlier: [written('one', ['Ada@x.example'])] }, 'smtp', keyOf);
    expect(journal.find('ada@x.example')).toEqual(knownAnswer('Ada@x.example'));
    expect(journal.find('bob@x.example')).toBeNull();
    journal.close();
  });

  test('answers of an NDJSON output are found with their details, without what belongs to a row', () => {
    const lines = [
      { ...knownAnswer('a@x.example'), input: { id: '1' }, mailvet_change: 'same' },
      { ...knownAnswer('b@x.example'), status: 'unknown' },
      { email: 'c@x.example', status: 'valid', is_valid: true, confidence: 0.9 },
      // A list that is itself an earlier output, and one with --fields.
      { ...knownAnswer('d@x.example'), mailvet_status: 'invalid', mailvet_confidence: 0.99 },
      { email: 'e@x.example', status: 'valid', confidence: 0.9, details: {} },
    ];
    writeFileSync(pathOf('out.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const outputs = {
      paths: [pathOf('out.ndjson')],
      isReusable: ({ status }: { status: string }) => status !== 'unknown',
    };
    const journal = openJournal({ path: pathOf('next'), earlier: [], outputs }, 'smtp', keyOf);
    expect(journal.find('a@x.example')).toEqual(knownAnswer('a@x.example'));
    expect(['b', 'c', 'd', 'e'].map((name) => journal.find(`${name}@x.example`))).toEqual([null, null, null, null]);
    expect(journal.size).toBe(0);
    journal.close();
  });

  test('tells the level of its run', () => {
    expect(journalLevel(written('one', ['a@x.example'], 'dns'))).toBe('dns');
  });

  test('a journal without an answer is removed', () => {
    expect(existsSync(written('none', []))).toBe(false);
  });

  test('a journal without an answer stays if rows wait, so that none of them is reused', () => {
    const journal = openJournal({ path: pathOf('one'), earlier: [] }, 'smtp', keyOf);
    journal.close({ keep: true });
    expect(journalLevel(pathOf('one'))).toBe('smtp');
  });

  test('an answer survives a process that is killed right after it', async () => {
    const journal = openJournal({ path: pathOf('one'), earlier: [] }, 'smtp', keyOf);
    journal.add(knownAnswer('a@x.example'));
    await turn();
    expect(readFileSync(pathOf('one'), 'utf8')).toContain('a@x.example');
    journal.close();
  });

  test('the answers of several runs that were killed are all there', () => {
    const paths = [written('one', ['a@x.example']), written('two', ['b@x.example', 'ü@x.example'])];
    const emails = ['a@x.example', 'b@x.example', 'ü@x.example', 'c@x.example'];
    expect(found(paths, emails)).toEqual([...emails.slice(0, 3), null]);
  });

  test.each([
    { name: 'a line that was being written', spoil: '{"email":"c@x.example","status":"val' },
    { name: 'a line that a power cut truncated', spoil: `${'\0'.repeat(50)}\n` },
    { name: 'other data', spoil: '[1]\n"text"\n{"email":1}\n\n' },
  ])('$name does no harm', ({ spoil }) => {
    const path = written('one', ['a@x.example']);
    appendFileSync(path, spoil);
    expect(found([path], ['a@x.example', 'c@x.example'])).toEqual(['a@x.example', null]);
  });

  test('answers of a run at a lower level are not reused', () => {
    expect(found([written('one', ['a@x.example'], 'dns')], ['a@x.example'])).toEqual([null]);
  });

  test('a file of another program is not read as a journal', () => {
    writeFileSync(pathOf('list'), `${JSON.stringify(knownAnswer('a@x.example'))}\n`);
    expect(found([pathOf('list')], ['a@x.example'])).toEqual([null]);
  });

  test('an error of this machine is not an answer', () => {
    const journal = openJournal({ path: pathOf('one'), earlier: [] }, 'smtp', keyOf);
    for (const sub_status of ['dns_error', 'outbound_port_blocked', 'exception_occurred']) {
      journal.add({ ...knownAnswer(`${sub_status}@x.example`), status: 'unknown', sub_status });
    }
    journal.add(knownAnswer('a@x.example'));
    journal.close();
    expect(readFileSync(pathOf('one'), 'utf8').split('\n')).toHaveLength(3);
  });

  test('it is readable by its owner only, and never overwrites another file', () => {
    expect(statSync(written('one', ['a@x.example'])).mode & 0o777).toBe(0o600);
    expect(() => openJournal({ path: pathOf('one'), earlier: [] }, 'smtp', keyOf)).toThrow();
  });

  test('a long journal is read in pieces', () => {
    const emails = Array.from({ length: 3_000 }, (_, row) => `person${row}@x.example`);
    expect(found([written('one', emails)], emails)).toEqual(emails);
  });

  test('a journal that cannot be written is named in the error', () => {
    const open = () => openJournal({ path: pathOf('missing/journal'), earlier: [] }, 'smtp', keyOf);
    expect(open).toThrow(/^The journal of answers .* cannot be opened\.$/);
  });
});
