import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { shapeOf } from '../accounts/account-shape.mjs';
import { readAccounts, readHeldOut, writeAccounts } from '../accounts/files.mjs';
import { languageOf } from '../accounts/language.mjs';
import { hashOrderedSample } from '../accounts/packages.mjs';
import { parsePerson } from '../accounts/person.mjs';

test.each([
  { value: 'Jane Doe <Jane.Doe+list@corp.com>', person: { account: 'jane.doe', name: 'Jane Doe' } },
  { value: { name: 'Jane', email: 'jd@corp.com' }, person: { account: 'jd', name: 'Jane' } },
  { value: 'Jane <noreply@corp.com>', person: null },
  { value: 'Jane <jane@example.com>', person: null },
  { value: 'Jane <jane@localhost>', person: null },
  { value: 'no address', person: null },
  { value: null, person: null },
])('a person in $value', ({ value, person }) => {
  expect(parsePerson(value)).toEqual(person);
});

test.each([
  ['jane.doe', 'Jane Doe', 'names with a dot'],
  ['janedoe', 'Jane Doe', 'names without a dot'],
  ['jdoe', 'Jane Doe', 'initial(s) + surname'],
  ['doej', 'Jane Doe', 'surname + initial(s)'],
  ['jd', 'Jane Doe', 'initials'],
  ['jane', 'Jane Doe', 'first name'],
  ['jane84', 'Jane Doe', 'with a number'],
  ['j4ne', 'Jane Doe', 'digits inside'],
  ['2024', '', 'digits alone'],
  ['sunflower', '', 'nickname, 9 letters and more'],
])('the shape of %s, owned by "%s", is %s', (account, name, shape) => {
  expect(shapeOf(account, name)).toBe(shape);
});

test.each([
  ['Jane Doe <jane@corp.de>', 'Jane Doe', 'de'],
  ['Иван <ivan@corp.com>', 'Иван', 'ru'],
  ['Xiaoming Wang <xm@corp.com>', 'Xiaoming Wang', 'zh'],
  ['Jane <jane@qq.com>', 'Jane', 'zh'],
  ['Jane <jane@corp.io>', 'Jane', undefined],
])('the language of %s', (value, name, language) => {
  expect(languageOf(value, name)).toBe(language);
});

test('a sample depends on the names, not on their order', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  expect(hashOrderedSample(names, 3)).toEqual(hashOrderedSample([...names].reverse(), 3));
  expect(hashOrderedSample(names, 3)).toHaveLength(3);
});

describe('accounts on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-training-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const sources =
    'npm homepages linux keyring translators toolchain wiki python haskell cpan emacs vim credits catalogues ' +
    'maintainers perl kde rust ruby r copyrights changes manuals scoped contributors php headers';
  for (const source of sources.split(' '))
    writeAccounts(folder, source, [
      { account: 'everywhere', name: '', source },
      { account: `only-${source}`, name: '', source },
    ]);
  const accountsOf = (list) => list.map(({ account }) => account);

  test('training and tuning do not overlap', () => {
    const { training, tuning } = readAccounts(folder);
    expect(accountsOf(training)).toContain('everywhere');
    expect(accountsOf(tuning)).not.toContain('everywhere');
    expect(training.length + tuning.length).toBe(28);
  });

  test('held-out sources are in neither', () => {
    const { training, tuning, heldOut } = readHeldOut(folder);
    expect(accountsOf(heldOut).sort()).toEqual(['only-contributors', 'only-headers', 'only-php']);
    expect([...accountsOf(training), ...accountsOf(tuning)]).not.toContain('only-php');
  });

  test('a missing source is an error', () => {
    expect(() => readAccounts(join(folder, 'elsewhere'))).toThrow(/is missing/);
    expect(() => readAccounts(undefined)).toThrow(/Set ACCOUNTS/);
  });
});
