import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { bareEnvironment, runBinary, startBinary, waitForExit } from '../e2e/run-binary.js';
import { amount } from '../size.js';
import { type Answer, ask, confirmList, sendWith, untilCompleted, uploadList } from './run-server.js';

const kills = amount(1, 30);

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

test(
  `kill -9 in the middle of jobs and requests, ${kills} times: no job is lost, and nothing is charged twice`,
  async () => {
    const env = bareEnvironment();
    const granted = 100_000_000;
    const created = await runBinary(['keys', 'create', '--name', 'kill', '--credits', `${granted}`, '--json'], { env });
    const { key } = JSON.parse(created.out) as { key: string };
    const rows = amount(100_000, 20_000);
    const confirms: ((at: Started) => Promise<Answer>)[] = [];
    const jobs: string[] = [];
    const charged = { atLeast: 0, atMost: 0 };
    let next = 0;
    const addresses = (count: number): string[] => {
      next += count;
      return Array.from({ length: count }, (_, index) => `user${next - index}@python.org`);
    };
    for (let round = 0; round < kills; round++) {
      const server = await serve(env);
      const upload = await uploadList(sendWith(server, key), `email\n${addresses(rows).join('\n')}\n`);
      const confirm = (at: Started) => confirmList(sendWith(at, key), upload.json?.['upload_id']);
      const job = String((await confirm(server)).json?.['id']);
      confirms.push(confirm);
      jobs.push(job);

      // Requests are sent until the server is killed.
      let answers = 0;
      const asking = async (size: number): Promise<void> => {
        for (;;) {
          charged.atMost += size;
          const emails = addresses(size);
          const [path, body] = size === 1 ? ['single', { email: emails[0] }] : ['bulk', { emails }];
          const { json } = await ask(`${server.url}/validation/${path}`, { key, body });
          charged.atLeast += size === 1 && json?.['status'] === 'valid' ? 1 : Number(json?.['credits_used']);
          answers++;
        }
      };
      const clients = Promise.allSettled([1, 1, 100, 100, 1_000].map(asking));
      const processed = async () => (await ask(`${server.url}/bulk/jobs/${job}`, { key })).json?.['processed'];
      while (Number(await processed()) === 0 || answers < 6);
      await setTimeout(Math.random() * amount(0, 900));
      server.child.kill('SIGKILL');
      await clients;
      await server.ended;
    }

    const last = await serve(env);
    const all = { total: rows, processed: rows, valid_count: rows, credits_used: rows };
    for (const job of jobs) expect(await untilCompleted(sendWith(last, key), job)).toMatchObject(all);
    for (const [index, confirm] of confirms.entries())
      expect((await confirm(last)).json).toHaveProperty('id', jobs[index]);
    const { json: credits } = await ask(`${last.url}/credits`, { key });
    const spent = granted - Number(credits?.['credits']);
    // Answered requests are charged. Requests in flight at a kill may be charged, but never twice.
    expect(spent).toBeGreaterThanOrEqual(kills * rows + charged.atLeast);
    expect(spent).toBeLessThanOrEqual(kills * rows + charged.atMost);

    last.child.kill('SIGTERM');
    expect(await last.ended).toMatchObject({ status: 0, signal: null });
  },
  60_000 * kills,
);

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
