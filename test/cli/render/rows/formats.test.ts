import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import {
  formatByExtension,
  formatExtensions,
  formatKind,
  formatNames,
  openRowWriter,
} from '../../../../src/cli/render/rows/formats.js';
import { addressLayout, type RowStyle } from '../../../../src/cli/render/rows/row-writer.js';
import { createStatsCollector } from '../../../../src/report/run-stats.js';
import { resultOf } from '../../../fakes/service.js';

const style = { color: false, columns: 80, unicode: true, isTty: false, fields: null };
const row = { cells: ['ada@b.co'], email: 'ada@b.co' };
const answer = { result: resultOf('ada@b.co'), duplicate: false };

describe('every format', () => {
  test.each(
    formatNames.flatMap((format) =>
      (['address', 'addresses', 'list', 'job'] as const).map((subject) => ({ format, subject })),
    ),
  )('$format writes the address of the $subject as bytes', async ({ format, subject }) => {
    const writer = await openRowWriter(format, { ...style, subject });
    expect(writer.begin(addressLayout)).toBeInstanceOf(Uint8Array);
    const rows = writer.rows([row], [answer]);
    // A workbook is written as a whole.
    const written =
      format === 'xlsx' ? unzipSync(Buffer.from(await writer.end(createStatsCollector(0).summary))) : { rows };
    const texts = Object.values(written).map((bytes) => Buffer.from(bytes).toString());
    expect(texts.some((text) => text.includes('ada@b.co'))).toBe(true);
  });

  test.each(formatNames)('%s has a kind', (format) => expect(formatKind(format)).not.toBeNull());
});

describe('an extension', () => {
  test.each(formatExtensions)('%s selects a format, in any case', (extension) => {
    expect(formatByExtension(extension.slice(1).toUpperCase())).not.toBeNull();
  });

  test.each([
    { extension: 'jsonl', want: 'ndjson' },
    { extension: 'tab', want: 'csv' },
    { extension: 'txt', want: 'plain' },
    { extension: 'xls', want: null },
    { extension: 'constructor', want: null },
  ])('$extension is $want', ({ extension, want }) => expect(formatByExtension(extension)).toBe(want));
});

test('an unknown format has no kind', () => {
  expect([formatKind('constructor'), formatKind(null), formatKind(undefined)]).toEqual([null, null, null]);
});

describe('JSON', () => {
  const written = async (given: Partial<RowStyle>): Promise<string> => {
    const writer = await openRowWriter('json', { ...style, subject: 'address', ...given });
    return Buffer.from(writer.rows([row], [answer])).toString();
  };

  test('for one address is indented on a terminal', async () => {
    expect(await written({ isTty: true })).toBe(`${JSON.stringify(answer.result, null, 2)}\n`);
    expect(await written({ isTty: false })).toBe(`${JSON.stringify(answer.result)}\n`);
  });

  test('for several addresses is one object per line', async () => {
    expect(await written({ subject: 'addresses', isTty: true })).toBe(`${JSON.stringify(answer.result)}\n`);
  });
});
