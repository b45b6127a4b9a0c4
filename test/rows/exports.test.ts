import { isUtf8 } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
  /** Whether the output without our columns must be the list itself. */
  exact: boolean;
}

const fixtures = join(import.meta.dirname, '../fixtures/exports-of-other-programs/exports.json');
const exports = JSON.parse(readFileSync(fixtures, 'utf8')) as Export[];

/** Every byte as a character, or the characters of UTF-16. */
function held(bytes: Buffer): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString('latin1');
}

test.each(exports)(
  'exports of other programs: $name',
  async ({ file, bytes, text, emails, column, empty, args, exact }) => {
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
    const written = readFileSync(out);
    // Every word of a table is in the output.
    const words = column !== null && isUtf8(data) ? (text.match(/[\p{L}\p{N}]+/gu) ?? []) : [];
    for (const word of words) expect(written.toString()).toContain(word);
    if (!exact) return;
    const added =
      /(.)(?:(?:mailvet_status\1mailvet_sub_status\1mailvet_confidence\1mailvet_safe_to_send\1mailvet_did_you_mean)|(?:valid\1\1(?:0)\.95\1true\1)|(?:empty\1\1\1\1))(?=\r|\n|$)/g;
    expect(held(written).replaceAll(added, '')).toBe(held(data));

    // Without a header, our columns have no names.
    if (!written.includes('mailvet_status')) return;
    const secondOutput = join(folder, `again.${extension}`);
    await runCli(['bulk', out, '-o', secondOutput, ...args], { tty: false });
    expect(held(readFileSync(secondOutput))).toBe(held(written));
  },
);
