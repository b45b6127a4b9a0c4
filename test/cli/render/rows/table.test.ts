import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ListLayout, RowWriter } from '../../../../src/cli/render/rows/row-writer.js';
import { openWriter } from '../../../../src/cli/render/rows/table.js';
import type { BulkAnswer } from '../../../../src/model/result.js';
import { resultOf } from '../../../fakes/service.js';

const long = `${'x'.repeat(60)}@a-rather-long-domain.example.org`;
const answers = [
  { result: resultOf('ada@b.co'), duplicate: false },
  {
    result: resultOf('li.wei@gmial.com', {
      status: 'risky',
      sub_status: 'possible_typo',
      did_you_mean: 'li.wei@gmail.com',
    }),
    duplicate: false,
  },
  {
    result: resultOf(long, { status: 'unknown', sub_status: 'mail_server_did_not_respond', confidence: 0.5 }),
    duplicate: true,
  },
  { result: resultOf('p@b.co', { sub_status: 'not_probed', safe_to_send: false, confidence: 0.6 }), duplicate: false },
];
const layout = { columns: ['email'], hasHeader: true, delimiter: ',' };
const style = { subject: 'list', color: false, unicode: true, isTty: true, fields: null } as const;
const textOf = (table: RowWriter, given: ListLayout, shown: readonly BulkAnswer[]): string =>
  [
    table.begin(given),
    table.rows(
      shown.map(() => ({ cells: [], email: '' })),
      shown,
    ),
  ]
    .map(String)
    .join('');
const draw = (columns: number, { unicode = true, fields = null as string[] | null } = {}): string => {
  const table = openWriter({ ...style, columns, unicode, fields });
  return textOf(table, layout, answers);
};

describe('a table of verdicts', () => {
  const ai = (estimate: number) => ({ ai_enhancement: { used: false, method: null, estimate } });
  test.each([40, 50, 64, 80, 120, 200])('fits %d columns, and no reason is cut', (columns) => {
    const lines = draw(columns).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.join('\n')).toContain('did you mean li.wei@gmail.com?');
    expect(lines.join('\n')).toContain('mail_server_did_not_respond');
    expect(lines.join('\n')).toContain('(duplicate)');
  });

  test.each(['empty', 'suppressed'])('shows a row that is %s without a confidence, but not as unknown', (status) => {
    const result = resultOf('n/a', { status, confidence: 0 });
    const text = textOf(openWriter({ ...style, columns: 80 }), layout, [{ result, duplicate: false, [status]: true }]);
    expect(text.split('\n')[1]).toMatch(new RegExp(`^- ${status} +n/a$`));
  });

  test('puts the reason of a long address below it', () => {
    const email = `${'a'.repeat(44)}@b.co`;
    const rows = [
      { result: resultOf(email, { status: 'invalid', sub_status: 'mailbox_not_found' }), duplicate: false },
    ];
    const renderAt = (columns: number): string => textOf(openWriter({ ...style, columns }), layout, rows);
    expect(renderAt(120)).toContain(`95%  ${email}  mailbox_not_found\n`);
    expect(renderAt(80)).toContain(`✖ invalid   95%  ${email}\n${' '.repeat(17)}mailbox_not_found\n`);
    expect(renderAt(51)).toContain(`✖ invalid   95%\n  ${email}\n${' '.repeat(17)}mailbox_not_found\n`);
    expect(renderAt(45)).toContain(`✖ invalid\n  ${'a'.repeat(37)}…@b.co\n${' '.repeat(11)}mailbox_not_found\n`);
  });

  test('keeps a suggestion whole that is wider than the screen beside its words', () => {
    const suggestion = `${'a'.repeat(30)}@gmail.com`;
    const result = resultOf('a@gmial.com', { status: 'risky', sub_status: 'possible_typo', did_you_mean: suggestion });
    const text = textOf(openWriter({ ...style, columns: 45 }), layout, [{ result, duplicate: false }]);
    expect(text).toContain(`\n  did you mean\n  ${suggestion}?\n`);
  });

  test.each([40, 45, 80])('starts all suggestions in one column: %d', (columns) => {
    const rows = ['a@gmail.com', 'two.dots@d2.vetbench.com'].map((suggestion) => {
      const verdict = { status: 'invalid', sub_status: 'failed_syntax_check', did_you_mean: suggestion };
      return { result: resultOf(suggestion.replace('@', '.@'), verdict), duplicate: false };
    });
    const text = textOf(openWriter({ ...style, columns }), layout, rows);
    const indents = [...text.matchAll(/^ *(?=did you mean )/gm)].map(([{ length }]) => length);
    expect(indents).toEqual(columns === 80 ? [17, 17] : [2, 2]);
  });

  test('has one place for the reasons of rows that arrive later, with the remarks on a long one below it', () => {
    const table = openWriter({ ...style, columns: 80 });
    const rows = [
      { email: 'a@b.co', sub_status: 'mailbox_not_found', status: 'invalid' },
      { email: 'b@b.co', sub_status: 'failed_smtp_connection', status: 'unknown', confidence: 0.5, ...ai(0.75) },
      {
        email: `${'c'.repeat(29)}@b.co`,
        sub_status: 'mail_server_did_not_respond',
        status: 'unknown',
        confidence: 0.5,
        ...ai(0.5),
      },
      { email: 'd@b.co', sub_status: 'mailbox_not_found', status: 'invalid' },
    ];
    const text = rows.map(({ email, ...verdict }) =>
      String(table.rows([{ cells: [], email }], [{ result: resultOf(email, verdict), duplicate: false }])),
    );
    expect(text.join('').split('\n')).toEqual([
      'STATUS     CONF  EMAIL                               REASON',
      '✖ invalid   95%  a@b.co                              mailbox_not_found',
      '? unknown        b@b.co                              failed_smtp_connection',
      '                                                     (est. 75%)',
      '? unknown        ccccccccccccccccccccccccccccc@b.co  mail_server_did_not_respond',
      '                                                     (est. 50%)',
      '✖ invalid   95%  d@b.co                              mailbox_not_found',
      '',
    ]);
  });

  test('lets the first rows decide how wide the columns are; the reason of a longer address is beside it', () => {
    const emails = ['a@b.co', `${'a'.repeat(40)}@b.co`, 'b@b.co', `${'a'.repeat(70)}@b.co`, 'c@b.co'];
    const table = openWriter({ ...style, columns: 120 });
    const text = emails.map((email) => {
      const result = resultOf(email, { status: 'invalid', sub_status: 'mailbox_not_found' });
      return String(table.rows([{ cells: [], email }], [{ result, duplicate: false }]));
    });
    const starts = text.join('').matchAll(/^.*(?=REASON|mailbox_not_found)/gm);
    expect([...starts].map(([{ length }]) => length)).toEqual([67, 67, 67, 67, 94, 67]);
  });

  test('has no heading without rows', () => expect(textOf(openWriter({ ...style, columns: 80 }), layout, [])).toBe(''));

  test('aligns the reasons of long addresses on a wide screen', () => {
    const emails = ['a@b.co', `${'a'.repeat(51)}@b.co`];
    const rows = emails.map((email) => ({
      result: resultOf(email, { status: 'invalid', sub_status: 'mailbox_not_found' }),
      duplicate: false,
    }));
    const lines = textOf(openWriter({ ...style, columns: 120 }), layout, rows).split('\n');
    const starts = lines.slice(1, 3).map((line) => line.indexOf('mailbox_not_found'));
    expect([lines[0]?.indexOf('REASON'), ...starts]).toEqual([75, 75, 75]);
  });

  test.each([
    {
      status: 'risky',
      sub_status: 'catch_all',
      did_you_mean: null,
      want: /▲ risky {10}a@b\.co +catch_all \(est. 60%\)/,
    },
    {
      status: 'unknown',
      sub_status: 'timeout_exceeded',
      did_you_mean: 'a@bb.co',
      want: /\? unknown {8}a@b\.co +timeout_exceeded \(est. 60%\)/,
    },
  ])('keeps an estimate out of the column of the confidence: $sub_status', ({ want, ...verdict }) => {
    const rows = [{ result: resultOf('a@b.co', { ...verdict, confidence: 0.6, ...ai(0.6) }), duplicate: false }];
    expect(textOf(openWriter({ ...style, columns: 100 }), layout, rows)).toMatch(want);
  });

  test('has a fixed order of columns, and shows the confidence in percent', () => {
    const [head, first, second, suggestion] = draw(100).split('\n');
    expect(head).toMatch(/^STATUS {5}CONF {2}EMAIL +REASON$/);
    expect(first).toMatch(/^✔ valid {5}95% {2}ada@b\.co$/);
    expect(second).toMatch(/^▲ risky {5}95% {2}li\.wei@gmial\.com +possible_typo$/);
    expect(suggestion).toBe('                 did you mean li.wei@gmail.com?');
  });

  test('shows the tick only for addresses that are safe to send', () => {
    expect(draw(100)).toMatch(/~ valid {5}60% {2}p@b\.co +not_probed/);
  });

  test('uses ASCII on a screen that shows only ASCII', () => {
    expect(draw(80, { unicode: false })).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test('shows only the requested fields', () => {
    expect(draw(80, { fields: ['email', 'status'] }).split('\n')[1]).toMatch(/^ada@b\.co +valid$/);
  });

  test('shows requested fields that do not fit on a second line, with a heading', () => {
    const lines = draw(38, { fields: ['email', 'status', 'sub_status'] }).split('\n');
    expect(lines.slice(0, 2)).toEqual(['EMAIL             STATUS', '  SUB_STATUS']);
    expect(lines.slice(2, 5)).toEqual(['ada@b.co          valid', 'li.wei@gmial.com  risky', '  possible_typo']);
  });

  test.each([80, 81, 84])('has no heading wider than %d columns in color', (columns) => {
    const table = openWriter({ ...style, color: true, columns, fields: ['status', 'email', 'sub_status', 'reply'] });
    const result = resultOf('rosa@accounting.example.org', { sub_status: 'mailbox_not_found' });
    const answer = { result: { ...result, reply: '550 5.7.1 blocked by spamhaus' }, duplicate: false };
    const lines = stripVTControlCharacters(textOf(table, layout, [answer])).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines).toHaveLength(3);
  });

  test('keeps the columns of the other rows beside a very long cell', () => {
    const lines = draw(60, { fields: ['email', 'status', 'sub_status'] }).split('\n');
    expect(lines[0]).toBe('EMAIL             STATUS   SUB_STATUS');
    expect(lines[2]).toBe('li.wei@gmial.com  risky    possible_typo');
    expect(lines.slice(3, 5)).toEqual([long, '  unknown  mail_server_did_not_respond']);
  });
});
