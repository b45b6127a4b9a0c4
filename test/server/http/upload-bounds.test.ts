import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ask, confirmList, formWith, sendWith, uploadList } from '../run-server.js';
import { startForTest } from '../use-server.js';

const megabyte = 1024 * 1024;
const bombs = {
  'empty lines': gzipSync(`email\n${'\n'.repeat(20 * megabyte)}`),
  comments: gzipSync('# nothing to see here\n'.repeat(megabyte)),
  'blanks in one cell': gzipSync(`email\n"${' '.repeat(20 * megabyte)}"\n`),
  rows: gzipSync(`email\n${'ada@python.org\n'.repeat(2 * megabyte)}`),
};

describe('an upload is bounded, compressed or not', () => {
  test.each(Object.entries(bombs))(
    'a small file that decompresses to a huge one of %s is refused',
    async (_, bytes) => {
      const server = await startForTest({ limits: { fileBytes: 2 * megabyte, rows: 100 } });
      const send = sendWith(server, server.key);
      const preview = await uploadList(send, new Blob([new Uint8Array(bytes)]));
      const answer = preview.status !== 200 ? preview : await confirmList(send, preview.json?.['upload_id']);
      expect(answer.status).toBe(413);
      expect(readdirSync(join(server.home, 'incoming'))).toEqual([]);
      expect(readdirSync(join(server.home, 'emails'))).toEqual([]);
    },
  );

  test('work on a file stops with its caller', async () => {
    const server = await startForTest({ limits: { fileBytes: 64 * megabyte } });
    const controller = new AbortController();
    // Read to its end, the body would be a valid list.
    const slowToRead = gzipSync(`${'\n'.repeat(60 * megabyte)}email\nada@python.org\n`);
    const asked = ask(`${server.url}/bulk/upload/preview`, {
      key: server.key,
      body: formWith(new Blob([new Uint8Array(slowToRead)]), 'list.csv'),
      signal: controller.signal,
    });
    const held = (folder: string) => readdirSync(join(server.home, folder));
    while (held('incoming').length === 0) await new Promise(setImmediate);
    controller.abort();
    await expect(asked).rejects.toThrow();
    await server.logged('"status":499');
    while (held('incoming').length > 0) await new Promise(setImmediate);
    expect(held('uploads')).toEqual([]);
  });
});

test.each([
  { name: 'a damaged gzip file', bytes: Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9]) },
  { name: 'a gzip file that is cut off', bytes: gzipSync('email\nada@python.org\n').subarray(0, 20) },
  { name: 'an empty file', bytes: Buffer.alloc(0) },
  { name: 'a JSON file', bytes: Buffer.from('[{"email":"ada@python.org"}]') },
  { name: 'a file without an address', bytes: Buffer.from('a,b\n1,2\n') },
])('responses contain nothing about the machine: of $name', async ({ bytes }) => {
  const server = await startForTest();
  const send = sendWith(server, server.key);
  const preview = await uploadList(send, new Blob([new Uint8Array(bytes)]), 'my list.csv');
  const confirmed = await confirmList(send, preview.json?.['upload_id'] ?? 'x', 'b');
  for (const { text } of [preview, confirmed]) {
    expect(text).not.toContain(server.home);
    expect(text).not.toContain('incoming');
    expect(text).not.toContain(hostname());
    // The id of an upload may contain the digits of a process id.
    expect(text.match(/\b\d+\b/g) ?? []).not.toContain(String(process.pid));
    expect(text).not.toMatch(/mailvet [a-z]|--[a-z]/);
  }
  if (preview.status !== 200) expect(preview.text).toContain('my list.csv');
});
