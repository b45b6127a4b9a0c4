import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, test } from 'vitest';
import { canonical, isFree, isRole, suggest } from '../../../src/engine/address/address-facts.js';
import { loadDisposable } from '../../../src/engine/address/disposable.js';
import { idnaTables, loadTables } from '../../../src/engine/address/edge-idna.js';
import { emailSchema } from '../../../src/engine/address/email-schema.js';
import { parseAddress } from '../../../src/engine/grammar/parse-address.js';
import { createLists } from '../../../src/engine/lists/lists.js';

test.each([
  ['jane@gmial.com', 'jane@gmail.com'],
  ['jane@gmail.con', 'jane@gmail.com'],
  ['jane@gmail', 'jane@gmail.com'],
  ['jane@gmial,com', 'jane@gmail.com'],
  ['mailto:jane@hotmial.com', 'jane@hotmail.com'],
  ['jane@gmail.com', null],
  ['jane@example.com', null],
  ['jane@[192.0.2.1]', null],
  ['nothing', null],
])('%j: the suggestion is %j', (text, want) => expect(suggest(text)).toBe(want));

test.each(['jane@gmial.com', 'info@gmail.com', 'hello@web.de', 'a@mailinator.com', 'a@x.example', 'a@mail.gmial.com'])(
  '%s: the answer is that of the lists of the engine',
  async (email) => {
    const parsed = parseAddress(email);
    const facts = parsed.ok ? createLists().check(parsed.address) : null;
    expect({
      didYouMean: suggest(email),
      isRole: isRole(email),
      free: isFree(email),
      isDisposable: (await loadDisposable())(email),
    }).toEqual({
      didYouMean: facts?.didYouMean,
      isRole: facts?.role !== null,
      free: facts?.free,
      isDisposable: facts?.disposable !== null,
    });
  },
);

test.each([
  ['Jane.Doe+x@Gmail.com', 'jane.doe+x@gmail.com', 'janedoe@gmail.com'],
  ['jane.doe@googlemail.com', 'jane.doe@googlemail.com', 'janedoe@gmail.com'],
  ['jane.doe+x@outlook.de', 'jane.doe+x@outlook.de', 'jane.doe@outlook.de'],
  ['+x@gmail.com', '+x@gmail.com', '+x@gmail.com'],
  ['jane+x@python.org', 'jane+x@python.org', 'jane+x@python.org'],
  ['jane', null, null],
])('the canonical form: %s: %s, and %s by the rules of the provider', (email, plain, byProvider) => {
  expect([canonical(email), canonical(email, { provider: true })]).toEqual([plain, byProvider]);
});

test('no function throws for any input', () => {
  for (const value of [null, undefined, 1, {}, [], '\ud800', 'x'.repeat(100_000)] as unknown as string[]) {
    expect([suggest(value), isRole(value), isFree(value), canonical(value)]).toEqual([null, false, false, null]);
    expect(emailSchema()['~standard'].validate(value)).toHaveProperty('issues');
  }
});

describe('the schema', () => {
  // A type check: the schema implements the standard.
  const schema: StandardSchemaV1<string, string> = emailSchema({ refuse: ['typo', 'role', 'free', 'reserved'] });
  const validate = schema['~standard'].validate;

  test('the value of a valid address is the address', () => {
    expect(validate('Jane@Python.org')).toEqual({ value: 'Jane@Python.org' });
    expect(emailSchema()['~standard'].validate('info@gmial.com')).toEqual({ value: 'info@gmial.com' });
  });

  test.each([
    ['jane@gmail,com', 'domain_comma', 10, 'jane@gmail.com'],
    ['jane@gmial.com', 'typo', 5, 'jane@gmail.com'],
    ['info@python.org', 'role', 0, null],
    ['jane@gmail.com', 'free', 5, null],
    ['jane@example.com', 'reserved', 5, null],
    [7, 'not_a_string', 0, null],
  ])('%j: %s at %i, with the suggestion %j', (value, code, position, suggestion) => {
    const message = expect.stringMatching(/^[A-Z].*\.$/);
    expect(validate(value)).toEqual({ issues: [{ code, position, suggestion, message }] });
  });

  test('refusing disposable addresses makes it asynchronous', async () => {
    const result = emailSchema({ refuse: ['disposable'] })['~standard'].validate('a@mailinator.com');
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toMatchObject({ issues: [{ code: 'disposable', position: 2 }] });
    expect(await emailSchema({ refuse: ['disposable'] })['~standard'].validate('a@gmail.com')).toEqual({
      value: 'a@gmail.com',
    });
  });
});

test('without the tables, the platform converts a name', async () => {
  const platform = idnaTables();
  expect(platform.toASCII('bücher.example', {})).toBe('xn--bcher-kva.example');
  expect(platform.toUnicode('ＢÜcher。example', {})).toEqual({ domain: 'bücher.example', error: false });
  for (const name of ['\ufe0f.com', '－a.com', 'a－.com', 'a\u00ad b.com'])
    expect(platform.toASCII(name, {})).toBeNull();
  await loadTables();
  expect(idnaTables()).not.toBe(platform);
  expect(idnaTables().toASCII('bücher.example', {})).toBe('xn--bcher-kva.example');
});
