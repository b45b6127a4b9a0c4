import { describe, expect, test } from 'vitest';
import { cutTo, padTo, splitAt, textWidth, wrap, wrapCommand } from '../../../../src/cli/render/style/text-layout.js';

describe('the width of a text on a terminal', () => {
  test.each([
    { text: 'ada@contoso.com', width: 15 },
    { text: 'dörte', width: 5 },
    { text: '日本@x.jp', width: 9 },
    { text: '김철수', width: 6 },
    { text: '김', width: 2 },
    { text: '😀', width: 2 },
    { text: '👨‍👩‍👧', width: 2 },
    { text: '❤️', width: 2 },
    { text: '🇩🇪', width: 2 },
    { text: 'e\u0301', width: 1 },
    { text: '＠', width: 2 },
    { text: '✔ ▲ ✖ …', width: 7 },
    { text: '', width: 0 },
  ])('$text takes $width columns', ({ text, width }) => {
    expect(textWidth(text)).toBe(width);
    expect(textWidth(padTo(text, 20))).toBe(20);
  });

  test('is cut between characters only', () => {
    expect(cutTo('日本語@x.jp', 6, '…')).toBe('日本…');
    expect(cutTo('日本語@x.jp', 5, '…')).toBe('日本…');
    expect(cutTo('ada@contoso.com', 15, '…')).toBe('ada@contoso.com');
    expect(splitAt('日本', 1)).toEqual(['日', '本']);
  });
});

test('a command is broken before the next one, and not after its first word', () => {
  expect(wrapCommand('mailvet jobs resume 3f2a91c0 --wait && mailvet jobs results 3f2a91c0 -o out.csv', 54)).toEqual([
    'mailvet jobs resume 3f2a91c0 --wait && \\',
    'mailvet jobs results 3f2a91c0 -o out.csv',
  ]);
});

test('a sentence is not broken within a name or a command, unless that is wider than the screen', () => {
  const sentence = `What was finished is in 'big 2.csv.partial'. Run "mailvet lists update" again.`;
  expect(wrap(sentence, 30)).toEqual([
    'What was finished is in',
    "'big 2.csv.partial'. Run",
    '"mailvet lists update" again.',
  ]);
  expect(wrap('Name a file (mailvet bulk list.csv), or pipe one in.', 25)).toEqual([
    'Name a file',
    '(mailvet bulk list.csv),',
    'or pipe one in.',
  ]);
  expect(wrap('a "word in quotes that is long" (") and', 12)).toEqual([
    'a "word in',
    'quotes that',
    'is long" (")',
    'and',
  ]);
});
