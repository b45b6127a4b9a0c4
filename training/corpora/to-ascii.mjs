import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let transliterate;

/** Transliterates other scripts and removes diacritics. ASCII text needs no package. */
export function toAscii(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  transliterate ??= require('any-ascii').default ?? require('any-ascii');
  return transliterate(text);
}
