import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showPaged } from '../../../src/cli/terminal/pager.js';

const text = 'one\ntwo\nthree\n';

async function show(pager: string | undefined, rows: number, isTty = true, platform = 'linux'): Promise<string> {
  let written = '';
  const write = async (data: string | Uint8Array): Promise<void> => {
    written += String(data);
  };
  const stdout = { isTty, columns: 80, color: false, unicode: true, descriptor: 1, write };
  const environment = { PATH: process.env['PATH'], ...(pager !== undefined && { PAGER: pager }) };
  await showPaged(text, { stdout, environment, rows, platform });
  return written;
}

test('a text that is longer than the screen goes through the pager, and nowhere else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-pager-'));
  try {
    expect(await show(`cat > ${join(folder, 'shown')}`, 2)).toBe('');
    expect(readFileSync(join(folder, 'shown'), 'utf8')).toBe(text);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  { name: 'a text that fits', pager: 'false', rows: 40 },
  { name: 'an empty PAGER', pager: '', rows: 2 },
  { name: 'PAGER=cat', pager: 'cat', rows: 2 },
  { name: 'a pager that is missing', pager: 'no-such-pager', rows: 2 },
  { name: 'output that is not a terminal', pager: 'false', rows: 2, isTty: false },
  { name: 'on Windows, without PAGER,', pager: undefined, rows: 2, platform: 'win32' },
  { name: 'on Windows, a pager that cmd.exe does not find', pager: 'exit 1', rows: 2, platform: 'win32' },
])('$name is written directly', async ({ pager, rows, isTty = true, platform }) => {
  expect(await show(pager, rows, isTty, platform)).toBe(text);
});
