import { describe, expect, test } from 'vitest';
import { enhancedIn, maxReplyBytes, ReplyReader, toReply } from '../../../src/net/smtp/reply-parser.js';
import { parseReply } from '../../fakes/parse-reply.js';

describe('collecting replies', () => {
  test.each([
    ['one line', ['250 ok\r\n'], [{ code: 250, lines: ['ok'] }]],
    ['a bare code', ['250\r\n'], [{ code: 250, lines: [''] }]],
    ['bare line feeds', ['250 ok\n'], [{ code: 250, lines: ['ok'] }]],
    ['several lines', ['250-a\r\n250-b\r\n250 c\r\n'], [{ code: 250, lines: ['a', 'b', 'c'] }]],
    ['a banner in two halves', ['220-wait\r\n', '220 mx\r\n'], [{ code: 220, lines: ['wait', 'mx'] }]],
    ['one byte at a time', [...'250-a\r\n250 b\r\n'], [{ code: 250, lines: ['a', 'b'] }]],
    [
      'two at once',
      ['250 a\r\n550 b\r\n'],
      [
        { code: 250, lines: ['a'] },
        { code: 550, lines: ['b'] },
      ],
    ],
    [
      'lines with different codes: the last one counts',
      ['550-a\r\n551 b\r\n'],
      [{ code: 551, lines: ['a', 'b'], lineCodes: [550, 551] }],
    ],
    ['nothing yet', ['250-a\r\n'], []],
    ['control characters', ['250 a\x1b[31mb\x00\u202ec\r\n'], [{ code: 250, lines: ['a [31mb  c'] }]],
  ])('%s', (_name, chunks, want) => {
    const reader = new ReplyReader();
    expect(chunks.flatMap((chunk) => reader.push(Buffer.from(chunk)).replies)).toEqual(want);
  });

  test.each([
    { name: 'no code', chunk: 'hello\r\n' },
    { name: 'a code out of range', chunk: '199 x\r\n' },
    { name: 'an empty line', chunk: '\r\n' },
    { name: 'HTTP', chunk: 'HTTP/1.1 400 Bad Request\r\n' },
    { name: 'bytes of TLS', chunk: '\x15\x03\x01\x00\x02\n' },
    { name: 'an endless line', chunk: 'x'.repeat(maxReplyBytes + 1) },
    { name: 'endless lines', chunk: '250-x\r\n'.repeat(10_000) },
  ])('$name is malformed, and stays so', ({ chunk }) => {
    const reader = new ReplyReader();
    const nothing = { replies: [], malformed: true };
    expect(reader.push(Buffer.from(chunk))).toEqual(nothing);
    expect(reader.push(Buffer.from('250 ok\r\n'))).toEqual(nothing);
  });

  test('a long line is truncated, not refused', () => {
    const { replies } = new ReplyReader().push(Buffer.from(`550 ${'x'.repeat(5000)}\r\n`));
    expect(replies).toEqual([{ code: 550, lines: ['x'.repeat(1020)] }]);
  });

  test('a long line is truncated in the same way if it comes in pieces', () => {
    const reader = new ReplyReader();
    const pieces = ['550 ', ...Array.from({ length: 10 }, () => 'x'.repeat(500)), '\r\n'];
    const replies = pieces.flatMap((piece) => reader.push(Buffer.from(piece)).replies);
    expect(replies).toEqual([{ code: 550, lines: ['x'.repeat(1020)] }]);
  });

  test('Latin-1 is read', () => {
    const { replies } = new ReplyReader().push(Buffer.from('550 Empf\xe4nger\r\n', 'latin1'));
    expect(replies).toEqual([{ code: 550, lines: ['Empfänger'] }]);
  });

  test('text that is not a reply can be shown', () => {
    const reader = new ReplyReader();
    reader.push(Buffer.from(`\x1b[31mHTTP/1.1 400 Bad Request${'!'.repeat(500)}\r\n`));
    expect(reader.rejectedText).toMatch(/^\[31mHTTP\/1\.1 400 Bad Request!+$/);
    expect(reader.rejectedText).toHaveLength(200);
  });

  test('the first reply before garbage is kept', () => {
    expect(new ReplyReader().push(Buffer.from('250 ok\r\nrubbish\r\n'))).toEqual({
      replies: [{ code: 250, lines: ['ok'] }],
      malformed: true,
    });
  });
});

describe('the enhanced code', () => {
  test.each([
    ['5.1.1 no', '5.1.1'],
    ['sorry (#5.1.1)', '5.1.1'],
    ['host 5.1.1.7 says 5.7.1 no', '5.7.1'],
    ['version 15.1.10', null],
    ['5.1.10 x', '5.1.10'],
    ['4.7.650.', '4.7.650'],
    ['no code', null],
  ])('%s → %s', (text, code) => expect(enhancedIn(text)).toBe(code));

  test('is read from any line', () => {
    expect(toReply('rcpt', { code: 550, lines: ['no', '5.1.1 user'] })).toEqual({
      stage: 'rcpt',
      code: 550,
      enhanced: '5.1.1',
      text: 'no 5.1.1 user',
    });
  });
});

test.each(['', 'hello', '55', '999 x'])('"%s" is not a reply', (text) => expect(parseReply(text)).toBeNull());
