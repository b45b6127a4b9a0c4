import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planParts, renderColumns, renderFile } from '../../../src/cli/render/preview.js';
import { openRows } from '../../../src/rows/open-rows.js';
import { profileColumns } from '../../../src/rows/preview.js';
import { planList } from '../../../src/service/plan-list.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-preview-'));
const path = join(folder, 'list.csv');
writeFileSync(
  path,
  'Name;Email;Alt\nJane;jane@contoso.com;\nBob;Bob@fabrikam.com;bob@gmail.com\nBob;bob@Fabrikam.com;\nNo one;;\n',
);
const preview = {
  upload_id: '1',
  filename: 'list.csv',
  columns: ['Name', 'Email', 'Alt'],
  suggested_email_column: 'Email',
};

describe('the preview of an upload', () => {
  test('shows the name, rows, columns and delimiter of the file', async () => {
    const { delimiter } = await profileColumns(path, {});
    const file = { ...preview, row_count: 4, row_count_exact: true };
    expect(renderFile(file, delimiter, { columns: 80 })).toBe('list.csv · 4 rows · 3 columns · semicolons\n');
    expect(renderFile(file, delimiter, { columns: 40 })).toBe('list.csv · 4 rows · 3 columns\nsemicolons\n');
  });

  test('shows each column with samples and how many cells are filled', async () => {
    const { columns } = await profileColumns(path, {});
    expect(renderColumns(columns, { width: 60 })).toEqual([
      'Name   Jane, Bob …                              no addresses',
      'Email  jane@contoso.com, Bob@fabrikam.com …     75% filled',
      'Alt    bob@gmail.com                            25% filled',
    ]);
    for (const line of renderColumns(columns, { width: 28 })) expect(line.length).toBeLessThanOrEqual(28);
  });

  test('does not count a placeholder as filled', async () => {
    const list = join(mkdtempSync(join(tmpdir(), 'mailvet-preview-')), 'list.csv');
    writeFileSync(list, 'id,email\n1,a@b.co\n2,n/a\n');
    const { columns } = await profileColumns(list, {});
    expect(columns[1]).toMatchObject({ filled: 0.5, samples: ['a@b.co'] });
  });

  test('shows unique addresses, the network use and a rough duration', async () => {
    const network = { level: 'smtp', allowNetworks: [], allowList: null } as const;
    const { chunks } = await openRows({ path }, { columns: [1], column: 'Email' });
    const plan = await planList(chunks, { network });
    expect(plan).toMatchObject({ rows: 4, domains: 2 });
    expect(planParts(plan, { level: 'smtp' })[1]).toBe('level smtp: the mail servers of 2 domains will be asked');
    const large = { rows: 48_213, unique: 46_902, domains: 1_934 };
    expect(planParts(large, { level: 'smtp' })).toEqual([
      '46,902 unique addresses in 48,213 rows',
      'level smtp: the mail servers of 1,934 domains will be asked',
      'about 6 minutes at a typical 130 addresses/s',
    ]);
    expect(planParts(large, { service: 'https://vet.contoso.com' }).at(-1)).toBe('at most 46,902 credits');
  });

  test.each([
    { level: 'smtp', unique: 1_000, want: 'a few seconds' },
    { level: 'smtp', unique: 4_000, want: 'about 30 seconds at a typical 130 addresses/s' },
    { level: 'smtp', unique: 7_500, want: 'about 1 minute at a typical 130 addresses/s' },
    { level: 'smtp', unique: 30_000, want: 'about 4 minutes at a typical 130 addresses/s' },
    { level: 'smtp', unique: 1_000_000, want: 'about 2 hours at a typical 130 addresses/s' },
    { level: 'dns', unique: 90_000, want: 'about 3 minutes at a typical 300 domains/s' },
  ])('says at which rate a run takes that long: $level, $unique', ({ level, unique, want }) => {
    expect(planParts({ rows: unique, unique, domains: 54_000 }, { level }).at(-1)).toBe(want);
  });

  test.each([
    { level: 'syntax', domains: 5 },
    { level: 'smtp', domains: 0 },
  ])('says that nothing is sent: $level, $domains domains', ({ level, domains }) => {
    const parts = planParts({ rows: 1, unique: 1, domains }, { level });
    expect(parts[1]).toBe(`level ${level}: nothing is sent over the network`);
  });
});
