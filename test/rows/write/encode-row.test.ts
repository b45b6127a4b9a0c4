import { describe, expect, test } from 'vitest';
import { encodeRawRow, encodeRow } from '../../../src/rows/write/encode-row.js';

describe('encodeRow', () => {
  test.each([
    { name: 'plain cells stay bare', cells: ['a', 'b c', ' d ', ''], want: 'a,b c, d ,' },
    { name: 'the delimiter is quoted', cells: ['a,b'], want: '"a,b"' },
    { name: 'another delimiter is not quoted', cells: ['a;b'], want: 'a;b' },
    { name: 'quotes are doubled', cells: ['say "hi"'], want: '"say ""hi"""' },
    { name: 'line ends are quoted and kept', cells: ['a\r\nb', 'c\rd'], want: '"a\r\nb","c\rd"' },
    { name: 'a single empty cell is a record', cells: [''], want: '""' },
    { name: 'a formula is made text', cells: ['=1+1'], want: "'=1+1" },
    {
      name: 'a formula with quotes',
      cells: ['=HYPERLINK("http://x","y")'],
      want: '"\'=HYPERLINK(""http://x"",""y"")"',
    },
    {
      name: 'a sign before words is a handle or a note',
      cells: ['+a', '- call back', '@ada_l'],
      want: '+a,- call back,@ada_l',
    },
    { name: 'a sign before an address is an address', cells: ['-a@x.org', '+b.c@x.org'], want: '-a@x.org,+b.c@x.org' },
    ...['(', '|', '!'].map((char) => ({
      name: `a sign and ${char} after a letter could run`,
      cells: [`+a${char}b`, `-a${char}b`, `@a${char}b`],
      want: `'+a${char}b,'-a${char}b,'@a${char}b`,
    })),
    {
      name: 'telephone numbers and notes stay unchanged',
      cells: ['+1 (555) 123-4567', '- Tom & Jerry', "- don't call"],
      want: "+1 (555) 123-4567,- Tom & Jerry,- don't call",
    },
    { name: 'a control character', cells: ['\x01cmd'], want: "'\x01cmd" },
    { name: 'a command after a number', cells: ["-2+3+cmd|' /C calc'!A0"], want: "'-2+3+cmd|' /C calc'!A0" },
    { name: 'a tab, a carriage return, a line feed', cells: ['\t=1', '\r=1', '\n=1'], want: `'\t=1,"'\r=1","'\n=1"` },
    {
      name: 'an address after white space is written without that',
      cells: ['\ta@x.org', '\r\n +b@x.org', '\0Ada <a@x.org>', '\t=a@x.org', '\x01a@x.org'],
      want: "a@x.org,+b@x.org,'\0Ada <a@x.org>,'\t=a@x.org,'\x01a@x.org",
    },
    { name: 'full-width signs', cells: ['＝1', '＋a(', '－a(', '＠a'], want: "'＝1,'＋a(,'－a(,＠a" },
    {
      name: 'numbers with a sign stay numbers',
      cells: ['-5', '+1.5', '-1 000', '-5%', '-'],
      want: '-5,+1.5,-1 000,-5%,-',
    },
    { name: 'addresses are not formulas', cells: ['a@x.org', "'q@x.org"], want: "a@x.org,'q@x.org" },
    { name: 'other scripts are not formulas', cells: ['漢字', 'Ürün', '＜x'], want: '漢字,Ürün,＜x' },
  ])('$name', ({ cells, want }) => expect(encodeRow(cells, ',')).toBe(want));

  test('quotes cells that contain the delimiter in use', () => {
    expect(encodeRow(['a;b', 'c,d', 'e\tf'], ';')).toBe('"a;b";c,d;e\tf');
  });

  test('`encodeRawRow` keeps formulas', () => expect(encodeRawRow(['=1+1', 'a,b'], ',')).toBe('=1+1,"a,b"'));
});
