import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAddress } from '../../src/engine/grammar/parse-address.js';
import { keyOfAddress } from '../../src/lists/mailbox-key.js';

test.each([
  ['Ada@Site.Example', 'ada@site.EXAMPLE'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['"ada"@site.example', 'ada@site.example'],
])('%s and %s are one mailbox', (one, other) => expect(keyOfAddress(one)).toBe(keyOfAddress(other)));

test.each([
  ['ada@site.example', 'ada+tag@site.example'],
  ['a.da@site.example', 'ada@site.example'],
  ['No Address', 'no address'],
])('%s and %s are two mailboxes', (one, other) => expect(keyOfAddress(one)).not.toBe(keyOfAddress(other)));

test('the fast path returns the same key as the grammar', () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab0.-+@xn_Z"'), maxLength: 12 });
  fc.assert(
    fc.property(part, part, fc.constantFrom('', '.example', '.xn--p1ai', '.test'), (local, domain, ending) => {
      const text = `${local}@${domain}${ending}`;
      const parsed = parseAddress(text);
      expect(keyOfAddress(text)).toBe(parsed.ok ? parsed.address.canonical : text);
    }),
    { numRuns: 2_000 },
  );
});
