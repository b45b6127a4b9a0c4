import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { parseAddress } from '../../../src/engine/grammar/parse-address.js';

const require = createRequire(import.meta.url);
const isLoaded = (): boolean => require.resolve('tr46') in require.cache;

test('the IDNA tables are loaded by the first international domain', () => {
  for (const text of [
    'jane@example.com',
    '"a b"@example.com',
    'Dörte@example.com',
    'a@[192.0.2.1]',
    'Jane <jane@x.com>',
  ]) {
    parseAddress(text);
  }
  expect(isLoaded()).toBe(false);
  parseAddress('a@bücher.example');
  expect(isLoaded()).toBe(true);
});
