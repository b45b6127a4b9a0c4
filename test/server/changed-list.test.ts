import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRemoteService } from '../../src/service/remote/remote.js';
import { ask, formWith, openServer, type TestServer } from './run-server.js';

let server: TestServer;
beforeEach(async () => {
  server = await openServer();
});
afterEach(() => server.stop());

/** The id of a completed job. */
async function completedJob(text: string): Promise<string> {
  const { url, key } = server;
  const preview = await ask(`${url}/bulk/upload/preview`, { key, body: formWith(text) });
  const confirm = { upload_id: preview.json?.['upload_id'], email_column: 'email' };
  const id = String((await ask(`${url}/bulk/upload/confirm`, { key, body: confirm })).json?.['id']);
  for (;;) {
    const { json } = await ask(`${url}/bulk/jobs/${id}`, { key });
    if (json?.['status'] === 'completed') return id;
    if (json?.['status'] !== 'queued' && json?.['status'] !== 'running') throw new Error(JSON.stringify(json));
  }
}

test('a list that is read differently later keeps its verdicts, and rows that do not match are marked', async () => {
  const id = await completedJob('id,email\n1,ada@python.org\n2,no address\n3,bob@python.org\n');
  const uploads = join(server.home, 'uploads');
  writeFileSync(
    join(uploads, readdirSync(uploads)[0] ?? ''),
    'id,email\n9,new@python.org\n3,bob@python.org\n1,ada@python.org\n',
  );
  const service = await openRemoteService({ baseUrl: server.url, apiKey: server.key, retries: 0 });
  const rows = [];
  for await (const some of (await service.jobResults(id)).rows) rows.push(...some);
  await service.close();
  expect(rows.map(({ cells, verdict, unpaired }) => [...cells, verdict?.status, unpaired])).toEqual([
    ['9', 'new@python.org', undefined, 'not_vetted'],
    ['3', 'bob@python.org', 'valid', undefined],
    ['1', 'ada@python.org', 'valid', undefined],
    ['', 'no address', 'invalid', 'not_in_list'],
  ]);
  const { text } = await ask(`${server.url}/bulk/jobs/${id}/results`, { key: server.key });
  expect(text.split('\n').map((line) => line.split(',').slice(0, 3).join(','))).toEqual([
    ...['id,email,mailvet_status', '9,new@python.org,', '3,bob@python.org,valid', '1,ada@python.org,valid'],
    ...[',no address,invalid', ''],
  ]);
});
