import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '../server/run-server.js';
import { useServer } from '../server/use-server.js';

const server = useServer();

const file = 'Content-Disposition: form-data; name="file"; filename="list.csv"';

test.each([
  ['a part whose headers do not end', `--x\r\n${file}\r\nemail\n\r\n--x--\r\n`],
  ['headers that end in bare line feeds', `--x\r\n${file}\n\nemail\n\r\n--x--\r\n`],
  ['a good file before a broken part', `--x\r\n${file}\r\n\r\nemail\na@b.co\n\r\n--x\r\nbroken\r\n--x--\r\n`],
  ['a file that is cut off', `--x\r\n${file}\r\n\r\nemail\na@b.co\n`],
  ['a field named __proto__', '--x\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n1\r\n--x--\r\n'],
  ['no boundary', 'x', ''],
  ['a boundary of 300 characters', `--${'x'.repeat(300)}--`, '; boundary='.concat('x'.repeat(300))],
])('refuses a broken form, and keeps no file of it: %s', async (_name, body, boundary = '; boundary=x') => {
  const answer = await ask(`${server.url}/bulk/upload/preview`, {
    method: 'POST',
    key: server.key,
    body,
    headers: { 'content-type': `multipart/form-data${boundary}` },
  });
  expect([400, 422]).toContain(answer.status);
  expect(answer.json).toMatchObject({ error: { code: expect.stringMatching(/^(usage|bad_input)$/) } });
  expect(readdirSync(join(server.home, 'incoming'))).toEqual([]);
});
