import { describe, expect, test } from 'vitest';
import { checkMinisign, parseMinisignKey } from '../../../src/service/lists/minisign.js';

// Made with minisign 0.11: -G, -S and -S -l.
const publicKey = 'RWS26PesprYgGD6SEq4AZNeFuzb1d/Q/rkWYoZrJIacdFYTyJuBiTV0s';
const hashed = `untrusted comment: signature from minisign secret key
RUS26PesprYgGK/ejtzucNXJ391+r3caDfv287v70pN4mrrOa4Ux9Ot335XwfQLy0TErUEoWfU3w2MMRsn+8Ub3D7J0qUHQmuAU=
trusted comment: lists of 2026-11-17
fJfoyoTJwxs92tyoHWWVHrRQ5OcV/PRIapS/wI3DUsrwcsXmz3XCWlsf7Iz8iLB1lgtxu6fmRuKGQn+8BjViDw==
`;
const legacy = `untrusted comment: signature from minisign secret key
RWS26PesprYgGHTwrQ7ZOYetnwemCkX90DNbxPupi5vDFFncEDVYsIHwU6hhH9MfRlDktbIkRJyraw/kW3OAD/I/tmw8jvg6oQ4=
trusted comment: timestamp:1794879205	file:b.txt
LDE5djnxGeEZS6R2hqJZH6tjG6wtOjcY4kF3IBg50rpJ/eYRc+nxeGhMZVSnWhkl4xGgWwY+4sQa4BatsBAtBA==
`;
const content = Buffer.from('ten lists\n');
const key = parseMinisignKey(publicKey);

test.each([
  { name: 'of the hash', signature: hashed },
  { name: 'of the content itself', signature: legacy },
  { name: 'with the line ends of Windows', signature: hashed.replaceAll('\n', '\r\n') },
])('a signature $name is accepted', ({ signature }) => {
  expect(() => checkMinisign(content, signature, key)).not.toThrow();
});

test.each([
  { name: 'other content', content: Buffer.from('ten lists!\n'), signature: hashed, why: 'does not match' },
  { name: 'a changed trusted comment', content, signature: hashed.replace('11-17', '11-18'), why: 'does not match' },
  { name: 'another key', content, signature: hashed.replace('RUS26Pes', 'RUS26Pet'), why: 'another key' },
  { name: 'an unknown algorithm', content, signature: hashed.replace('RUS2', 'RVS2'), why: 'not a minisign signature' },
  { name: 'no signature', content, signature: '', why: 'not a minisign signature' },
  { name: 'a web page', content, signature: '<html>\n<body>\nNot found\n</body>', why: 'not a minisign signature' },
])('$name is refused', ({ content, signature, why }) => {
  expect(() => checkMinisign(content, signature, key)).toThrow(why);
});

describe('a public key', () => {
  test('may be the text of its file', () => {
    expect(parseMinisignKey(`untrusted comment: minisign public key 1820B6A6ACF7E8B6\n${publicKey}\n`)).toEqual(key);
  });

  test.each(['', 'secret', publicKey.slice(0, -4), hashed])('%j is not a key', (text) => {
    expect(() => parseMinisignKey(text)).toThrow('not a minisign public key');
  });
});
