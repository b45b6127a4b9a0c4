import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTable } from '../../src/csv/open-rows.js';

const dir = mkdtempSync(join(tmpdir(), 'mailvet-table-'));
afterAll(() => rmSync(dir, { recursive: true }));

test.each([
  { name: 'list.json', text: '["ada@python.org"]', says: 'is JSON, and an upload must be CSV' },
  { name: 'list.txt', text: '[{"email":"ada@python.org"}]', says: 'is JSON, and an upload must be CSV' },
  { name: 'list.ndjson', text: '{"email":"ada@python.org"}\n', says: 'is NDJSON, and an upload must be CSV' },
])('$name is not read as a table', async ({ name, text, says }) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  await expect(openTable({ path })).rejects.toThrow(says);
});
