import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseUserList, readUserLists } from '../../../src/engine/lists/user-lists.js';
import { anAddress } from '../an-address.js';

const folder = mkdtempSync(join(tmpdir(), 'user-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));

const list = parseUserList(
  [
    ...['\uFEFF# ours', 'example.com  # the shop', '', '*.beneath.org', '.under.net', 'Jane@Mixed.Example', 'käse.de'],
    ...['xyz'],
  ].join('\r\n'),
  'deny.txt',
);

describe('an entry of the user', () => {
  test.each([
    ['a domain', 'a@example.com', 'example.com'],
    ['all beneath a domain', 'a@b.c.example.com', 'example.com'],
    ['only what is beneath', 'a@x.beneath.org', '.beneath.org'],
    ['only what is beneath', 'a@beneath.org', null],
    ['only what is beneath', 'a@x.y.under.net', '.under.net'],
    ['a mailbox, in any case', 'JANE@mixed.example', 'jane@mixed.example'],
    ['a mailbox with a tag', 'jane+shop@mixed.example', 'jane@mixed.example'],
    ['not its neighbors', 'joe@mixed.example', null],
    ['a whole top-level domain', 'a@spam.xyz', 'xyz'],
    ['not a name that only ends alike', 'a@notexample.com', null],
  ])('covers %s: %s', (_, address, want) => expect(list.match(anAddress(address))).toBe(want));

  test('covers a domain spelled in its own script', () => {
    expect(list.match(anAddress('a@xn--kse-qla.de', { displayDomain: 'käse.de' }))).toBe('käse.de');
  });

  test('covers a mail server', () => {
    expect(list.matchHost('mx1.example.com')).toBe('example.com');
    expect(list.matchHost('mx1.example.net')).toBeNull();
  });
});

describe('reading the files', () => {
  test('without a file there are no lists', async () => expect(await readUserLists({ allowFile: null })).toBeNull());

  test('one file is enough', async () => {
    const denyFile = join(folder, 'deny.txt');
    writeFileSync(denyFile, 'bad.example\n');
    const lists = await readUserLists({ denyFile });
    expect(lists?.deny.match(anAddress('a@bad.example'))).toBe('bad.example');
    expect(lists?.allow.match(anAddress('a@bad.example'))).toBeNull();
  });

  test.each([
    ['there is no such file', () => join(folder, 'missing.txt')],
    ['it is a directory', () => folder],
  ])('%s', async (why, path) => {
    await expect(readUserLists({ allowFile: path() })).rejects.toMatchObject({
      code: 'bad_input',
      message: `The list ${path()} cannot be read: ${why}.`,
    });
  });

  test.each(['two words', 'a@b@c', 'a..b', '@example.com', 'a.com,b.com', 'x@.', 'b\0a\0d\0', '\ufffd.com'])(
    'the line %j is refused with its number',
    (line) => {
      expect(() => parseUserList(`ok.example\n${line}\n`, 'my.txt')).toThrow(
        'Line 2 of the list my.txt is neither a domain nor an address.',
      );
    },
  );
});
