import { expect, test } from 'vitest';
import { convertName } from '../../../src/engine/grammar/idna.js';

test.each([
  ['bücher.example', 'xn--bcher-kva.example', 'bücher.example'],
  ['BÜCHER.Example', 'xn--bcher-kva.example', 'bücher.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example', 'bücher.example'],
  ['faß.de', 'xn--fa-hia.de', 'faß.de'],
  ['βόλος.com', 'xn--nxasmm1c.com', 'βόλος.com'],
  ['نامه\u200cای.com', 'xn--mgba3gch31f060k.com', 'نامه\u200cای.com'],
  ['ශ්\u200dරී.com', 'xn--10cl1a0b660p.com', 'ශ්\u200dරී.com'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah', '例え.テスト'],
])('%s is %s on the wire and %s for people', (name, ascii, unicode) => {
  expect(convertName(name)).toEqual({ ascii, unicode });
});

test.each([
  ['punctuation of IDNA2003', 'a“b.com'],
  ['a symbol', 'a√b.com'],
  ['a middle dot that is not between two l', 'a·b.com'],
  ['a katakana dot without Japanese', 'a・b.com'],
  ['a keraia without Greek after it', 'α͵b.com'],
  ['a geresh without Hebrew before it', 'a׳.com'],
  ['a joiner with nothing to join', 'a\u200db.com'],
  ['both kinds of Arabic digits', 'ا١۲.com'],
  ['Punycode of plain ASCII', 'xn--abc-.com'],
  ['Punycode that decodes to nothing valid', 'xn--0.com'],
  ['an encoded capital', 'xn--Bcher-kva\u00dc.com'],
  ['a leading mark', '\u0301a.com'],
  ['mixed directions in one label', 'aא.com'],
])('%s is not a valid name', (_why, name) => expect(convertName(name)).toBeNull());

test('a name has the same result after thousands of others', () => {
  const first = convertName('bücher.example');
  for (let i = 0; i < 2100; i++) convertName(`ü${i}.example`);
  expect(convertName('bücher.example')).toEqual(first);
});
