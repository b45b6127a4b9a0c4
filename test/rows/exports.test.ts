import { isUtf8 } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder, runCli } from '../cli/run-cli.js';

/** Output of `make-exports.py`: a list as another program exports it, and its expected content. */
interface Export {
  name: string;
  file: string;
  bytes: string;
  text: string;
  emails: string[];
  column: string | null;
  empty: number;
  args: string[];
  /** Whether the output without our columns must be the list itself, as UTF-8. */
  exact: boolean;
}

const fixtures = join(import.meta.dirname, '../fixtures/exports-of-other-programs/exports.json');
const exports = JSON.parse(readFileSync(fixtures, 'utf8')) as Export[];

describe('exports of other programs', () => {
  test.each(exports)('$name', async ({ name, file, bytes, text, emails, column, empty, args, exact }) => {
    const folder = freshFolder();
    const path = join(folder, file);
    const data = Buffer.from(bytes, 'base64');
    writeFileSync(path, data);
    const lines = await runCli(['bulk', path, ...args, '--format', 'ndjson'], { tty: false });
    const results = lines.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { email: string; status: string });
    expect(results.filter(({ status }) => status !== 'empty').map(({ email }) => email)).toEqual(emails);
    expect(results.filter(({ status }) => status === 'empty')).toHaveLength(empty);
    if (column !== null) expect(lines.err.replaceAll('\\"', '"')).toContain(`in the column "${column}"`);

    // A .csv would have commas instead of tabs.
    const extension = /^[^\r\n]*\t/.test(text) ? 'tsv' : 'csv';
    const out = join(folder, `out.${extension}`);
    expect((await runCli(['bulk', path, ...args, '-o', out], { tty: false })).status).toBe(0);
    const written = readFileSync(out, 'utf8');
    // Every word of a table is in the output.
    if (column !== null) for (const word of text.match(/[\p{L}\p{N}]+/gu) ?? []) expect(written).toContain(word);
    if (!exact) return;
    const added =
      /(.)(?:(?:mailvet_status\1mailvet_sub_status\1mailvet_confidence\1mailvet_safe_to_send\1mailvet_did_you_mean)|(?:valid\1\1(?:0)\.95\1true\1)|(?:empty\1\1\1\1))(?=\r|\n|$)/g;
    // A list in a legacy encoding gets a byte order mark; UTF-16 has NULs.
    const isLegacy = !isUtf8(data) && !data.includes(0) && !name.startsWith('UTF-8 with');
    const addedMark = isLegacy ? '\ufeff' : '';
    expect(written.replaceAll(added, '')).toBe(addedMark + text);

    const secondOutput = join(folder, `again.${extension}`);
    await runCli(['bulk', out, '-o', secondOutput], { tty: false });
    expect(readFileSync(secondOutput, 'utf8')).toBe(written);
  });
});
