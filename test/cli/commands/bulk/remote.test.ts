import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRemoteService } from '../../../../src/service/remote/remote.js';
import { type FakeService, startFakeService } from '../../../fakes/fake-service.js';
import { freshFolder, runCli } from '../../run-cli.js';

let fake: FakeService;
beforeEach(async () => {
  fake = await startFakeService();
});
afterEach(() => fake.stop());

const emails = Array.from({ length: 5_000 }, (_, index) => `user${index % 4_000}@site.example`);

/** Runs `bulk` against the fake, through the real client. */
async function bulk(args: string[], signal?: AbortSignal, tty = false, home = freshFolder()) {
  const service = await openRemoteService({ baseUrl: fake.url, apiKey: fake.apiKey, retries: 0, concurrency: 2 });
  const environment = { MAILVET_HOME: home };
  return runCli(['bulk', ...args, '--remote'], { tty, service, environment, ...(signal && { signal }) });
}

function listFile(name = 'list.csv'): string {
  const path = join(freshFolder(), name);
  const rows = emails.map((email, index) => `${index},${email}`);
  writeFileSync(path, name.endsWith('.csv') ? `id,email\n${rows.join('\n')}\n` : `${emails.join('\n')}\n`);
  return path;
}

describe('the cost of a list', () => {
  test('--dry-run prints it, and sends neither an address nor what the interface does not have', async () => {
    const { out, status } = await bulk([listFile(), '--dry-run']);
    expect(JSON.parse(out)).toEqual({
      columns: ['email'],
      rows: 5_000,
      empty: 0,
      addresses: 5_000,
      unique: 4_000,
      duplicates: 1_000,
      // `.example` is reserved, so that it is never asked.
      domains: 0,
      suppressed: 0,
      known: 0,
      requests: 4,
      credits: 4_000,
    });
    expect({ status, seen: fake.seen.map(({ method, path }) => `${method} ${path}`) }).toEqual({
      status: 0,
      seen: ['GET /api/v1/bulk/jobs'],
    });
  });

  test('--dry-run warns if the account of our own service has less', async () => {
    fake.isMailvet = true;
    fake.misbehave(({ path }) => (path.endsWith('/credits') ? { status: 200, body: '{"credits":1000}' } : undefined));
    const { status, err } = await bulk([listFile(), '--dry-run', '--quiet']);
    const warning = 'warning: The list may cost 4,000 credits, but the account has 1,000 credits.\n';
    expect({ status, err }).toEqual({ status: 0, err: warning });
  });

  test.each([
    { credits: 50, warning: 'The list may cost 4,000 credits, but --max-credits allows 50.' },
    { credits: 4_000, warning: null },
  ])('--dry-run warns if --max-credits $credits is not enough, also with --quiet', async ({ credits, warning }) => {
    const { status, err } = await bulk([listFile(), '--dry-run', '--quiet', '--max-credits', String(credits)]);
    const text = warning === null ? '' : `warning: The run would end with status 3. ${warning}\n`;
    expect({ status, err }).toEqual({ status: 0, err: text });
  });

  test('a run asks for nothing beside the answers', async () => {
    fake.isMailvet = true;
    await bulk([listFile()]);
    expect(fake.seen.filter(({ method }) => method !== 'POST')).toEqual([]);
    expect(fake.violations).toEqual([]);
  });

  test('the hint after a refusal shows the balance of the same account', async () => {
    fake.misbehave(() => ({ status: 402, body: '{}' }));
    const { status, err } = await bulk([listFile(), '--base-url', fake.url]);
    expect(status).toBe(3);
    expect(err).toContain(`(mailvet doctor --remote --base-url ${fake.url} shows them)`);
  });

  test('--dry-run counts the list as the local one does, with the same fields', async () => {
    const list = join(freshFolder(), 'list.csv');
    writeFileSync(list, 'id,email\n1,a@b.co\n2,A@b.co\n3,"c@d.co; e@f.co"\n4,\n5,no address\n');
    const addresses = { addresses: 4, unique: 3, duplicates: 1, domains: 1, suppressed: 0 };
    const counts = { columns: ['email'], rows: 5, empty: 1, ...addresses };
    const local = await runCli(['bulk', list, '--dry-run', '--level', 'dns'], { tty: false });
    expect(JSON.parse(local.out)).toEqual({ ...counts, level: 'dns', estimated_seconds: 1 });
    const remote = await bulk([list, '--dry-run']);
    expect(JSON.parse(remote.out)).toEqual({ ...counts, known: 2, requests: 1, credits: 1 });
    expect(remote.err).toBe(local.err);
  });

  test('--dry-run prints text on a terminal', async () => {
    const { out } = await bulk([listFile(), '--dry-run'], undefined, true);
    expect(out).toBe(
      '5,000 addresses: 4,000 to check, 1,000 duplicates, 0 known already or malformed\n4 requests, 4,000 credits\n',
    );
  });

  test('uses the singular for one', async () => {
    const list = join(freshFolder(), 'one.txt');
    writeFileSync(list, 'ada@site.example\n');
    const { out } = await bulk([list, '--dry-run'], undefined, true);
    expect(out).toBe('1 address: 1 to check, 0 duplicates, 0 known already or malformed\n1 request, 1 credit\n');
  });

  test.each([
    { limit: '3999', status: 3, requests: 0 },
    { limit: '4000', status: 0, requests: 4 },
  ])('--max-credits $limit: exit $status', async ({ limit, status, requests }) => {
    const run = await bulk([listFile(), '--max-credits', limit]);
    expect({ status: run.status, requests: fake.seen.length }).toEqual({ status, requests });
  });

  test('the summary counts the credits that were charged', async () => {
    const { out } = await bulk([listFile(), '--json']);
    expect(JSON.parse(out)).toMatchObject({
      total: 5_000,
      valid_count: 4_000,
      duplicate_count: 1_000,
      credits_used: 4_000,
    });
    // Answers that it knows may be free.
    fake.misbehave(() => ({ change: (answer) => ({ ...answer, credits_used: 7 }) }));
    expect(JSON.parse((await bulk([listFile(), '--json'])).out).credits_used).toBe(28);
    fake.misbehave(() => undefined);
  });
});

test('text that is not sent gets the suggestion of the engine', async () => {
  const path = join(freshFolder(), 'list.txt');
  writeFileSync(path, 'a..b@gmail.com\n');
  const { out } = await bulk([path, '--format', 'ndjson']);
  expect(JSON.parse(out)).toMatchObject({ status: 'invalid', did_you_mean: 'a.b@gmail.com' });
});

test('the progress is shown before the first answer', async () => {
  fake.misbehave(({ method }) => (method === 'GET' ? undefined : { after: sleep(1_000) }));
  const target = join(freshFolder(), 'vetted.csv');
  const { status, err } = await bulk([listFile(), '-o', target, '--limit', '2'], undefined, true);
  expect({ status, err }).toEqual({ status: 0, err: expect.stringMatching(/0 of 2/) });
  expect(err).not.toContain('0 of 0');
});

describe('a run that stops early', () => {
  test('does not stop for want of credits while answers are free', async () => {
    let left = 300;
    fake.isMailvet = true;
    fake.misbehave(({ path, json }) => {
      if (path.endsWith('/jobs')) return undefined;
      if (path.endsWith('/credits'))
        return { status: 200, body: JSON.stringify({ name: 'ada', plan: 'pro', credits: left }) };
      const { emails: asked } = json as { emails: string[] };
      if (asked.length > left) return { status: 402 };
      left -= Math.ceil(asked.length / 100);
      return undefined;
    });
    const target = join(freshFolder(), 'vetted.csv');
    expect((await bulk([listFile(), '-o', target])).status).toBe(0);
    expect(readFileSync(target, 'utf8').trim().split('\n')).toHaveLength(5_001);
  });

  test('writes the answers before a failure, counts the missing ones, and ends with the status of the failure', async () => {
    fake.misbehave(({ json }) => (JSON.stringify(json).includes('"user1000@') ? { status: 402 } : undefined));
    const { status, out, err } = await bulk([listFile(), '--json']);
    const summary = JSON.parse(out);
    expect(status).toBe(3);
    expect(summary.incomplete).toBe(true);
    expect(summary.results).toHaveLength(summary.total);
    expect(summary.results.some(({ email }: { email: string }) => email === 'user1000@site.example')).toBe(false);
    expect(summary.unanswered_count).toBeGreaterThanOrEqual(1_000);
    expect(err).toContain('Stopped');
  });
});

describe('a service that does not answer for each address', () => {
  const list = ['a@x.example', 'b@x.example', '', 'c@x.example', 'A@x.example', ''];
  type Items = Record<string, unknown>[];

  test.each([
    { name: 'leaves out the first', change: (items: Items) => items.slice(1), missing: ['a@x.example', 'A@x.example'] },
    { name: 'answers in another order', change: (items: Items) => items.toReversed(), missing: [] as string[] },
  ])('$name: no row is lost, the good output stays, and the same command asks for the rest', async (each) => {
    const { change, missing } = each;
    fake.misbehave(() => ({ change: (answer) => ({ ...answer, results: change(answer['results'] as Items) }) }));
    const folder = freshFolder();
    const path = join(folder, 'list.csv');
    const output = join(folder, 'vetted.csv');
    writeFileSync(path, `id,email\n${list.map((email, at) => `${at},${email}\n`).join('')}`);
    writeFileSync(output, 'good\n');
    const run = () => bulk([path, '-o', output, '-q'], undefined, false, folder);
    const { status, err } = await run();
    const isComplete = missing.length === 0;
    const rows = readFileSync(isComplete ? output : `${output}.rejected`, 'utf8')
      .split('\n')
      .slice(1, -1);
    expect(status).toBe(isComplete ? 0 : 4);
    expect(rows.map((row) => row.split(',').slice(0, 4).join())).toEqual(
      list.map((email, at) => {
        const verdict = missing.includes(email) ? 'unknown,no_answer' : email === '' ? 'empty,' : 'valid,';
        return `${at},${email},${verdict}`;
      }),
    );
    if (isComplete) return;
    expect(readFileSync(output, 'utf8')).toBe('good\n');
    expect(err).toContain(`The service gave no answer for ${missing.length} of 4 addresses`);
    fake.misbehave(() => undefined);
    fake.seen.length = 0;
    expect((await run()).status).toBe(0);
    expect(fake.bulkEmails()).toEqual(missing.slice(0, 1));
  });
});

describe('a list that is stopped', () => {
  test('by an interruption: the same command goes on, and pays for nothing twice', async () => {
    const stop = new AbortController();
    const home = freshFolder();
    const path = listFile();
    const output = join(home, 'vetted.csv');
    fake.misbehave(({ method }, count) => {
      // Of two requests at a time, the third may be on its way; the fourth is not.
      if (method === 'POST' && count === 2) stop.abort();
      return undefined;
    });
    const first = await bulk([path, '-o', output], stop.signal, false, home);
    expect(first).toMatchObject({ status: 130, err: expect.stringContaining('The same command goes on') });
    const paid = fake.bulkEmails().length;
    expect([paid >= 1_000, paid < 4_000]).toEqual([true, true]);
    const second = await bulk([path, '-o', output], undefined, false, home);
    expect(second.status).toBe(0);
    expect(second.err).toContain(`Continuing: ${paid.toLocaleString('en')} addresses were answered`);
    expect([fake.bulkEmails().length, new Set(fake.bulkEmails()).size]).toEqual([4_000, 4_000]);
    expect(readFileSync(output, 'utf8').match(/,valid,/g)).toHaveLength(5_000);
    // The run is complete, so that the next one asks everything.
    await bulk([path, '-o', output], undefined, false, home);
    expect(fake.bulkEmails()).toHaveLength(8_000);
    // … but for what an earlier run has answered, with --max-age.
    expect((await bulk([path, '-o', output, '--max-age', '1d', '--json'], undefined, false, home)).status).toBe(0);
    expect(fake.bulkEmails()).toHaveLength(8_000);
    await bulk([path, '-o', output, '--fresh'], undefined, false, home);
    expect(fake.bulkEmails()).toHaveLength(12_000);
  });

  test('by a guard: the same command asks nothing, and may be given without the guard', async () => {
    const home = freshFolder();
    const path = listFile();
    const output = join(home, 'vetted.csv');
    expect((await bulk([path, '-o', output, '--fail-on', 'valid'], undefined, false, home)).status).toBe(1);
    expect((await bulk([path, '-o', output], undefined, false, home)).status).toBe(0);
    expect(fake.bulkEmails()).toHaveLength(4_000);
  });

  test('while a request is open: its addresses are in doubt, are named, and are not sent again', async () => {
    const stop = new AbortController();
    const home = freshFolder();
    const path = join(home, 'few.csv');
    writeFileSync(path, 'email\na@x.example\nb@x.example\n');
    fake.misbehave(({ method }) => (method === 'POST' ? { drop: true } : undefined));
    const output = join(home, 'vetted.csv');
    const run = (...flags: string[]) => bulk([path, '-o', output, ...flags], stop.signal, false, home);
    expect((await run()).status).toBe(4);
    fake.misbehave(() => undefined);
    const sent = fake.bulkEmails().length;
    const second = await run();
    expect(second).toMatchObject({ status: 4, err: expect.stringContaining('2 addresses were sent to the service') });
    expect(fake.bulkEmails()).toHaveLength(sent);
    expect(existsSync(output)).toBe(false);
    expect(readFileSync(`${output}.rejected`, 'utf8').match(/,unknown,no_answer,/g)).toHaveLength(2);
    expect((await run('--max-age', '1d')).status).toBe(0);
    expect(existsSync(output)).toBe(true);
    expect(fake.bulkEmails()).toHaveLength(sent + 2);
  });
});
