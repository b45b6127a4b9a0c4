import { expect, test } from 'vitest';
import { openCharset } from '../../../../src/rows/read/decode/charset.js';

test.each([
  { encoding: 'windows-1252', text: 'José – €', lost: 'Ł' },
  { encoding: 'windows-1250', text: 'Łódź', lost: '山' },
  { encoding: 'shift_jis', text: '山田 ﾔﾏ', lost: 'Ł' },
  { encoding: 'gb18030', text: '王伟', lost: '😀' },
  { encoding: 'euc-kr', text: '홍길동', lost: '😀' },
  { encoding: 'utf-8', text: '山田 😀 José', lost: null },
])('text of ours is written in $encoding', ({ encoding, text, lost }) => {
  const { hold, show } = openCharset(encoding, 'en');
  expect(show(hold(text))).toBe(text);
  if (lost !== null) expect(hold(`a${lost}`)).toBe('a?');
});

test.each([
  { language: 'pl-PL', bytes: [0xa3], want: 'Ł' },
  { language: 'ru', bytes: [0xc6], want: 'Ж' },
  { language: 'tr', bytes: [0xfe], want: 'ş' },
  { language: 'el-GR', bytes: [0xe1], want: 'α' },
  { language: 'ja', bytes: [0x8e, 0x52], want: '山' },
  { language: 'zh-CN', bytes: [0xcd, 0xf5], want: '王' },
  { language: 'ko', bytes: [0xb1, 0xe6], want: '길' },
  { language: 'de', bytes: [0xe4], want: 'ä' },
])('a cell that is not UTF-8 is shown by the language $language', ({ language, bytes, want }) => {
  const charset = openCharset(null, language);
  const held = charset.read(Buffer.from(bytes));
  expect([charset.show(held), charset.showAddress(held)]).toEqual([want, `\ufffd${want}`]);
  expect(Buffer.from(charset.toBytes(held))).toEqual(Buffer.from(bytes));
});
