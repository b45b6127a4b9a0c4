import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { bareEnvironment, runBinary, startBinary, waitForExit } from '../e2e/run-binary.js';
import { type Answer, ask, confirmList, sendWith, untilCompleted, uploadList } from './run-server.js';

interface Started {
  child: ChildProcessWithoutNullStreams;
  url: string;
  ended: ReturnType<typeof waitForExit>;
}

const running: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** The real binary on a free port. */
async function serve(env: NodeJS.ProcessEnv, more: string[] = []): Promise<Started> {
  const child = startBinary(['serve', '--port', '0', '--level', 'syntax', ...more], env);
  running.push(child);
  const end = waitForExit(child);
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim().replace('Listening on ', ''), ended: end };
}

const list = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `user${from + index}@python.org`);

test('kill -9 in the middle of a job and of requests loses no job and charges nothing twice', async () => {
  const env = bareEnvironment();
  const created = await runBinary(['keys', 'create', '--name', 'kill', '--credits', '1000000', '--json'], { env });
  const { key } = JSON.parse(created.out) as { key: string };
  const first = await serve(env);
  const rows = 100_000;
  const upload = await uploadList(sendWith(first, key), `email\n${list(0, rows).join('\n')}\n`);
  const confirm = (at: Started) => confirmList(sendWith(at, key), upload.json?.['upload_id']);
  const { json: job } = await confirm(first);
  const jobAt = async ({ url }: Started): Promise<Record<string, unknown>> =>
    (await ask(`${url}/bulk/jobs/${String(job?.['id'])}`, { key })).json ?? {};

  // Requests are sent until the server is killed.
  let sentCount = 0;
  const answered: Answer[] = [];
  const asking = async (): Promise<void> => {
    for (;;) {
      sentCount += 100;
      answered.push(await ask(`${first.url}/validation/bulk`, { key, body: { emails: list(sentCount * 1000, 100) } }));
    }
  };
  const clients = Promise.allSettled([asking(), asking(), asking()]);
  while (Number((await jobAt(first))['processed']) === 0 || answered.length < 6);
  first.child.kill('SIGKILL');
  await clients;
  await first.ended;

  const second = await serve(env);
  expect(await untilCompleted(sendWith(second, key), String(job?.['id']))).toMatchObject({
    total: rows,
    processed: rows,
    valid_count: rows,
    credits_used: rows,
  });
  expect((await confirm(second)).json).toHaveProperty('id', job?.['id']);
  const paid = answered.reduce((sum, { json }) => sum + Number(json?.['credits_used']), 0);
  const { json: credits } = await ask(`${second.url}/credits`, { key });
  const spent = 1_000_000 - Number(credits?.['credits']);
  // Answered requests are charged. Requests in flight at the kill may be charged, but never twice.
  expect(spent).toBeGreaterThanOrEqual(rows + paid);
  expect(spent).toBeLessThanOrEqual(rows + sentCount);

  second.child.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ status: 0, signal: null });
});

test('serve prints its port and a hint without keys, accepts keys that are made later, and logs JSON lines to stderr', async () => {
  const env = bareEnvironment();
  const server = await serve(env);
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  const created = JSON.parse(
    (await runBinary(['keys', 'create', '--name', 'late', '--plan', 'team', '--json'], { env })).out,
  );
  expect(created).toMatchObject({
    id: expect.any(String),
    name: 'late',
    key: expect.stringMatching(/^mv_.{43}$/),
    plan: 'team',
  });
  const answer = await ask(`${server.url}/validation/single?email=ada@python.org`, { key: created.key });
  expect(answer.json).toMatchObject({ status: 'valid', metadata: { plan_tier: 'team' } });
  const remote = { ...env, MAILVET_API_KEY: created.key, MAILVET_BASE_URL: server.url };
  const validated = await runBinary(['validate', 'ada@python.org', '--remote', '--json'], { env: remote });
  expect(JSON.parse(validated.out)).toMatchObject({ status: 'valid', sub_status: 'not_probed' });
  const stdin = 'ada@python.org\nnobody\nADA@python.org\n';
  const bulk = ['bulk', '--format', 'csv', '--level', 'syntax'];
  const [here, there] = [
    await runBinary(bulk, { env, stdin }),
    await runBinary([...bulk, '--remote'], { env: remote, stdin }),
  ];
  expect(there.out).toBe(here.out);
  await runBinary(['keys', 'revoke', created.id], { env });
  const listed = JSON.parse((await runBinary(['keys', 'list', '--json'], { env })).out);
  expect(listed).toMatchObject({ keys: [{ id: created.id, revoked_at: expect.any(String) }] });
  expect(JSON.stringify(listed)).not.toContain(created.key);
  server.child.kill('SIGINT');
  const { status, err } = await server.ended;
  expect(status).toBe(0);
  // A log that is JSON has nothing else in it.
  const lines = err
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.flatMap(({ note }) => (note === undefined ? [] : [note.message]))).toEqual([
    expect.stringMatching(/^Web application: http:\/\/127\.0\.0\.1:\d+\/$/),
    expect.stringMatching(/^It has no password yet\. Set one here, once: http:\S+\/setup#[\w-]{32}$/),
    expect.stringMatching(/^There is no key yet, .* mailvet keys create --name NAME$/),
  ]);
  for (const line of lines) if (!('note' in line)) expect(line).toHaveProperty('level');
  expect(err).not.toContain('python.org');
});
