import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newIdentity } from '../../../../src/disk/process-identity.js';
import { verdictColumns } from '../../../../src/rows/table/verdict-columns.js';
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
async function bulk(args: string[], signal?: AbortSignal, tty = false) {
  const service = await openRemoteService({ baseUrl: fake.url, apiKey: fake.apiKey, retries: 0, concurrency: 2 });
  return runCli(['bulk', ...args, '--remote'], { tty, service, ...(signal === undefined ? {} : { signal }) });
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

  test.each([
    {
      args: ['--max-credits', '50'],
      credits: 9_000,
      warning: 'would end with status 3. The list may cost 4,000 credits, but --max-credits allows 50.',
    },
    {
      args: [],
      credits: 100,
      warning: 'may end with status 3. The list may cost 4,000 credits, but the balance is 100.',
    },
    { args: ['--max-credits', '4000'], credits: 4_000, warning: null },
    { args: [], credits: null, warning: null },
  ])(
    '--dry-run $args warns if $credits credits are not enough, also with --quiet',
    async ({ args, credits, warning }) => {
      const balance = JSON.stringify({ name: 'ada', plan: 'pro', credits });
      fake.isMailvet = true;
      fake.misbehave(({ path }) => (path.endsWith('/credits') ? { status: 200, body: balance } : undefined));
      const { status, err } = await bulk([listFile(), '--dry-run', '--quiet', ...args]);
      expect({ status, err }).toEqual({ status: 0, err: warning === null ? '' : `warning: The run ${warning}\n` });
    },
  );

  test.each([
    { name: 'too few', credits: 100, want: true },
    { name: 'enough', credits: 4_000, want: false },
    { name: 'no limit', credits: null, want: false },
  ])('a run notes at its start that the credits are not enough: $name', async ({ credits, want }) => {
    const balance = JSON.stringify({ name: 'ada', plan: 'pro', credits });
    fake.isMailvet = true;
    fake.misbehave(({ path }) => (path.endsWith('/credits') ? { status: 200, body: balance } : undefined));
    const { err } = await bulk([listFile()]);
    const note =
      'The list may cost 4,000 credits, but the balance is 100: the run stops with status 3 when it is used up, and can be continued.';
    expect(err.includes(note)).toBe(want);
  });

  test('a run asks for the credits of mailvet serve only: others do not have them', async () => {
    const asked = async () => {
      fake.seen.length = 0;
      await bulk([listFile()]);
      return new Set(fake.seen.filter(({ method }) => method === 'GET').map(({ path }) => path));
    };
    expect(await asked()).toEqual(new Set(['/api/v1/bulk/jobs']));
    expect(fake.violations).toEqual([]);
    fake.isMailvet = true;
    expect(await asked()).toEqual(new Set(['/api/v1/bulk/jobs', '/api/v1/credits']));
  });

  test('the hint after a refusal shows the balance of the same account', async () => {
    fake.misbehave(() => ({ status: 402, body: '{}' }));
    const { status, err } = await bulk([listFile(), '--base-url', fake.url]);
    expect(status).toBe(3);
    expect(err).toContain(`(mailvet whoami --remote --base-url ${fake.url} shows them)`);
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

test('credits_used is what the service charged, not what was sent', async () => {
  fake.misbehave(() => ({ change: (answer) => ({ ...answer, credits_used: 1 }) }));
  const path = join(freshFolder(), 'list.txt');
  writeFileSync(path, 'a@x.example\nb@x.example\nc@x.example\nA@x.example\n');
  expect(JSON.parse((await bulk([path, '--json'])).out)).toMatchObject({ total: 4, credits_used: 1 });
});

test('the reasons of a summary include those of reused answers', async () => {
  const folder = freshFolder();
  const list = join(folder, 'list.csv');
  writeFileSync(
    list,
    'email,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean\n' +
      'a@x.example,valid,,0.9,true,\nb@x.example,invalid,mailbox_not_found,0.9,false,\n',
  );
  const summary = join(folder, 's.json');
  await bulk([list, '-o', join(folder, 'out.csv'), '--resume', list, '--summary', summary]);
  expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({
    ...{ valid_count: 1, invalid_count: 1, reused_count: 2 },
    sub_status_counts: { '': 1, mailbox_not_found: 1 },
  });
});

describe('a service that does not answer for each address', () => {
  const list = ['a@x.example', 'b@x.example', '', 'c@x.example', 'A@x.example', ''];
  type Items = Record<string, unknown>[];

  test.each([
    { name: 'leaves out the first', change: (items: Items) => items.slice(1), missing: ['a@x.example', 'A@x.example'] },
    { name: 'leaves out the last', change: (items: Items) => items.slice(0, -1), missing: ['c@x.example'] },
    {
      name: 'adds an address',
      change: (items: Items) => [{ ...items[0], email: 'other@y.example', status: 'invalid' }, ...items],
      missing: [] as string[],
    },
    { name: 'answers in another order', change: (items: Items) => items.toReversed(), missing: [] as string[] },
    {
      name: 'answers in another spelling of the domain',
      change: (items: Items) => items.map((item) => ({ ...item, email: String(item['email']).toUpperCase() })),
      missing: [] as string[],
    },
    {
      name: 'answers for another address',
      change: (items: Items) => items.map((item, at) => (at === 1 ? { ...item, email: 'other@y.example' } : item)),
      missing: ['b@x.example'],
    },
  ])('$name: no row is lost, and the good output stays', async ({ change, missing }) => {
    fake.misbehave(() => ({ change: (answer) => ({ ...answer, results: change(answer['results'] as Items) }) }));
    const folder = freshFolder();
    const path = join(folder, 'list.csv');
    const output = join(folder, 'vetted.csv');
    writeFileSync(path, `id,email\n${list.map((email, at) => `${at},${email}\n`).join('')}`);
    writeFileSync(output, 'good\n');
    const { status, err } = await bulk([path, '-o', output, '-q']);
    const isComplete = missing.length === 0;
    const rows = readFileSync(isComplete ? output : `${output}.partial`, 'utf8')
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
    expect(err).toContain(`The service gave no answer for ${missing.length} of 4 addresses.`);
    fake.misbehave(() => undefined);
    fake.seen.length = 0;
    expect((await bulk([path, '-o', output, '--resume', output, '-q'])).status).toBe(0);
    expect(fake.bulkEmails()).toEqual(missing.slice(0, 1));
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

test('the progress of a resumed run counts the answers of the earlier one before the first request', async () => {
  const folder = freshFolder();
  const path = join(folder, 'list.txt');
  const target = join(folder, 'vetted.csv');
  writeFileSync(path, `${emails.slice(0, 3).join('\n')}\n`);
  await bulk([path, '-o', target]);
  writeFileSync(path, `${emails.slice(0, 5).join('\n')}\n`);
  fake.misbehave(() => ({ after: sleep(1_000) }));
  const { status, err } = await bulk([path, '-o', join(folder, 'all.csv'), '--resume', target], undefined, true);
  expect({ status, err }).toEqual({ status: 0, err: expect.stringMatching(/3 of 5/) });
});

test('the time left of a resumed run leaves out answers of the earlier one that are still to come', async () => {
  const folder = freshFolder();
  const path = join(folder, 'list.txt');
  const earlier = join(folder, 'vetted.csv');
  const all = Array.from({ length: 6_000 }, (_, index) => `p${index}@site.example`);
  writeFileSync(path, `${all.join('\n')}\n`);
  const known = all.filter((_, index) => index % 2 === 1);
  writeFileSync(earlier, `email,mailvet_status\n${known.map((email) => `${email},valid\n`).join('')}`);
  // The second of three requests takes as long as it takes until a time is shown.
  fake.misbehave(({ json }) => {
    const delayMs = JSON.stringify(json).includes('"p0@')
      ? 0
      : JSON.stringify(json).includes('"p2000@')
        ? 3_200
        : 3_900;
    return { after: sleep(delayMs) };
  });
  const startedAt = Date.now();
  const { err } = await bulk([path, '-o', join(folder, 'all.csv'), '--resume', earlier], undefined, true);
  const seconds = (Date.now() - startedAt) / 1000;
  const left = [...err.matchAll(/ 66% .* ([\d.]+) s left/g)].map(([, text]) => Number(text));
  expect(left.length).toBeGreaterThan(0);
  // A third of the 3,000 addresses to ask is left, at the rate of the first two.
  expect(Math.max(...left)).toBeLessThan(0.7 * seconds);
  expect(fake.bulkEmails()).toHaveLength(3_000);
});

describe('a run that stops early', () => {
  test('counts rows without an address, as its file does', async () => {
    fake.misbehave(() => ({ status: 402 }));
    const target = join(freshFolder(), 'vetted.csv');
    const path = join(freshFolder(), 'list.csv');
    writeFileSync(path, 'id,email\n1,\n2,not an address\n3,\n4,a@x.example\n5,\n');
    const { err } = await bulk([path, '-o', target]);
    expect(err).toContain('Stopped after 3 rows. 1 more address was read');
    expect(err).toContain('vetted.csv.partial (3 rows)');
  });

  test('for want of credits spends those that are left, and can be continued', async () => {
    const credits = 1_250;
    let answered = 0;
    fake.isMailvet = true;
    fake.misbehave(({ path, json }) => {
      if (path.endsWith('/jobs')) return undefined;
      if (path.endsWith('/credits')) {
        const left = credits - answered;
        return { status: 200, body: JSON.stringify({ name: 'ada', plan: 'pro', credits: left }) };
      }
      const count = (json as { emails: string[] }).emails.length;
      if (answered + count > credits) return { status: 402 };
      answered += count;
      return undefined;
    });
    const target = join(freshFolder(), 'vetted.csv');
    const { status, err } = await bulk([listFile(), '-o', target]);
    expect({ status, answered }).toEqual({ status: 3, answered: credits });
    expect(err).toContain('error: The credits of the account are used up.');
    expect(err).toContain('vetted.csv.partial (1,250 rows)');
  });

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
    const { status } = await bulk([listFile(), '-o', target]);
    expect(status).toBe(0);
    expect(readFileSync(target, 'utf8').trim().split('\n')).toHaveLength(5_001);
  });

  test('counts addresses if a row has several', async () => {
    fake.misbehave(() => ({ status: 402 }));
    const path = join(freshFolder(), 'list.csv');
    writeFileSync(path, 'work,private\nnot an address,nor this\n,\na@x.example,b@x.example\n');
    const { err } = await bulk([path, '--column', 'work,private', '-o', join(freshFolder(), 'vetted.csv')]);
    expect(err).toContain('Stopped after 2 addresses. 2 more addresses were read');
    expect(err).toContain('vetted.csv.partial (2 rows)');
  });

  test.each(['csv', 'ndjson', 'json'])('is continued from its %s, and no address is paid for twice', async (ending) => {
    const list = listFile();
    const whole = join(freshFolder(), `whole.${ending}`);
    await bulk([list, '-o', whole]);
    fake.seen.length = 0;

    const target = join(freshFolder(), `vetted.${ending}`);
    const stop = new AbortController();
    fake.misbehave(() => {
      if (fake.seen.length === 2) stop.abort();
      return undefined;
    });
    const first = await bulk([list, '-o', target], stop.signal);
    expect(first.status).toBe(130);
    expect(first.err).toContain(`${target}.partial`);
    expect(first.err).toMatch(/Stopped after [\d,]+ rows\. [\d,]+ more addresses were read and got no answer/);
    expect(fake.bulkEmails().length).toBeLessThan(4_000);

    // The requested name finds the part that was kept under another name.
    const second = await bulk([list, '-o', target, '--resume', target]);
    expect(second.status).toBe(0);
    expect(fake.bulkEmails()).toHaveLength(4_000);
    expect(new Set(fake.bulkEmails()).size).toBe(4_000);
    if (ending !== 'json') expect(readFileSync(target, 'utf8')).toBe(readFileSync(whole, 'utf8'));
    else
      expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({
        total: 5_000,
        valid_count: 4_000,
        duplicate_count: 1_000,
      });
  });

  test.each([
    { ending: 'csv.gz', share: 0.7, paidAgain: 1_000 },
    { ending: 'ndjson.gz', share: 0.7, paidAgain: 1_000 },
    { ending: 'xlsx', share: 1, paidAgain: 0 },
    // The end of a workbook says where its rows are.
    { ending: 'xlsx', share: 0.7, paidAgain: 4_000 },
  ])('is continued from $share of its $ending, as a full disk leaves it', async ({ ending, share, paidAgain }) => {
    const list = listFile();
    const whole = join(freshFolder(), `whole.${ending}`);
    await bulk([list, '-o', whole]);
    const bytes = readFileSync(whole);
    const target = join(freshFolder(), `vetted.${ending}`);
    writeFileSync(`${target}.partial`, bytes.subarray(0, share * bytes.length));
    fake.seen.length = 0;
    expect(await bulk([list, '-o', target, '--resume', target])).toMatchObject({ status: 0 });
    expect(Math.ceil(fake.bulkEmails().length / 1_000) * 1_000).toBe(paidAgain);
  });

  test('reuses no row that was cut off within its suggestion', async () => {
    const target = join(freshFolder(), 'vetted.csv');
    const rows =
      'user1@site.example,risky,possible_typo,0.85,false,u@gmail.com\nuser2@site.example,risky,possible_typo,0.85,false,u@gm';
    writeFileSync(`${target}.partial`, `email,${verdictColumns.join(',')}\n${rows}`);
    await bulk([listFile('list.txt'), '-o', target, '--resume', target]);
    expect(fake.bulkEmails()).toContain('user2@site.example');
    expect(fake.bulkEmails()).not.toContain('user1@site.example');
  });

  test('keeps all answers that were charged, even if a second run stops earlier', async () => {
    const list = listFile();
    const folder = freshFolder();
    const target = join(folder, 'vetted.csv');
    const paid = emails.slice(0, 3_000).map((email, index) => `${index},${email},valid,,0.97,true,\n`);
    writeFileSync(`${target}.partial`, `id,email,${verdictColumns.join(',')}\n${paid.join('')}`);
    const stop = new AbortController();
    fake.misbehave(({ method }) => {
      if (method === 'POST') stop.abort();
      return undefined;
    });
    const early = await bulk([list, '-o', target], stop.signal);
    expect(early.err).toContain(`${target}.partial.2`);
    const sentEarly = fake.bulkEmails().length;

    fake.misbehave(() => undefined);
    expect((await bulk([list, '-o', target, '--resume', target])).status).toBe(0);
    const sentLate = fake.bulkEmails().slice(sentEarly);
    expect(sentLate.filter((email) => Number(/\d+/.exec(email)) < 3_000)).toEqual([]);
    expect(readFileSync(target, 'utf8').split('\n')).toHaveLength(5_002);
    expect(readdirSync(folder)).toEqual(['vetted.csv']);
  });

  test('accepts --resume for the first run, as in a crontab', async () => {
    const target = join(freshFolder(), 'vetted.csv');
    const { status, err } = await bulk([listFile(), '-o', target, '--resume', target]);
    expect({ status, err }).toEqual({ status: 0, err: expect.stringContaining('starting from the beginning') });
    expect(fake.bulkEmails()).toHaveLength(4_000);
  });

  test('is resumed after a kill from the file that it was writing', async () => {
    const folder = freshFolder();
    const result = { email: 'USER7@site.example', status: 'risky', is_valid: false, confidence: 0.5 };
    writeFileSync(
      join(folder, '.vetted.ndjson.0123456789ab.tmp'),
      `${JSON.stringify(result)}\n{"email":"user8@site.exa`,
    );
    const { out, err } = await bulk([
      listFile('list.txt'),
      '--resume',
      join(folder, 'vetted.ndjson'),
      '--format',
      'csv',
    ]);
    expect(fake.bulkEmails()).not.toContain('user7@site.example');
    expect(fake.bulkEmails()).toHaveLength(3_999);
    expect(out).toContain('user7@site.example,risky,,0.5,,');
    expect(err).toContain('may be charged twice');
  });

  test('is not resumed from the file that another run is writing', async () => {
    const folder = freshFolder();
    const answer = (email: string) =>
      `${JSON.stringify({ email, status: 'risky', is_valid: false, confidence: 0.5 })}\n`;
    const target = join(folder, 'vetted.ndjson');
    writeFileSync(target, answer('user7@site.example'));
    utimesSync(target, 1_000, 1_000);
    writeFileSync(join(folder, `.vetted.ndjson.${newIdentity()}.tmp`), answer('user8@site.example'));
    await bulk([listFile('list.txt'), '--resume', target, '--format', 'csv']);
    expect(fake.bulkEmails()).not.toContain('user7@site.example');
    expect(fake.bulkEmails()).toContain('user8@site.example');
  });

  test.each([
    {
      name: 'a suppressed address',
      text: 'user7@site.example,suppressed,,,,\nuser8@site.example,risky,catch_all,0.5,false,\n',
    },
    {
      name: 'an address that was gone',
      text: '{"email":"user7@site.example","status":"","confidence":0,"mailvet_change":"gone"}\n',
    },
    {
      name: 'a row with more columns, in a truncated file',
      text: 'user7@site.example,invalid,mailbox_not_found,0.99,false,,,new\nuser8@site.example,ris',
    },
  ])('asks for $name again', async ({ text }) => {
    const earlier = join(freshFolder(), 'vetted.csv');
    writeFileSync(earlier, text);
    const { out } = await bulk([listFile('list.txt'), '--resume', earlier, '--format', 'csv']);
    expect(fake.bulkEmails()).toContain('user7@site.example');
    expect(out).toContain('user7@site.example,valid,');
  });

  test('is resumed from a CSV with verdicts among other columns', async () => {
    const earlier = join(freshFolder(), 'vetted.csv');
    writeFileSync(earlier, 'mailvet_status,email,mailvet_confidence,note\nrisky,user7@site.example,0.5,mine\n');
    const { out } = await bulk([listFile('list.txt'), '--resume', earlier, '--format', 'csv']);
    expect(fake.bulkEmails()).not.toContain('user7@site.example');
    expect(out).toContain('user7@site.example,risky,,0.5,,');
  });

  test.each([
    { name: 'a hash among addresses', isHashed: [false, true] },
    { name: 'an address among hashes', isHashed: [true, false] },
  ])('is resumed from an output with $name', async ({ isHashed }) => {
    const folder = freshFolder();
    const list = join(folder, 'list.txt');
    const earlier = join(folder, 'vetted.csv');
    const names = ['user7@site.example', 'user8@site.example'];
    const rows = names.map((name, index) => (isHashed[index] ? createHash('sha256').update(name).digest('hex') : name));
    writeFileSync(list, `${names.join('\n')}\nuser9@site.example\n`);
    writeFileSync(earlier, `email,mailvet_status\n${rows.map((row) => `${row},risky\n`).join('')}`);
    await bulk([list, '--resume', earlier, '--format', 'csv']);
    expect(fake.bulkEmails()).toEqual(['user9@site.example']);
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
    expect(err).toContain('got no answer');
  });

  test('names the command that continues after a failure', async () => {
    fake.misbehave(({ json }) => (JSON.stringify(json).includes('"user3000@') ? { status: 401 } : undefined));
    const target = join(freshFolder(), 'vetted.csv');
    const { status, err } = await bulk([listFile(), '-o', target]);
    expect(status).toBe(3);
    expect(err).toMatch(/note: Continue with: mailvet .*--resume .*vetted\.csv\n/);
    const withoutFile = await bulk([listFile(), '--format', 'csv']);
    expect(withoutFile.err).toContain('more addresses were read and got no answer.\n');
    expect(withoutFile.err).not.toContain('--resume');
  });

  test('notes that there is nothing to resume if it stops before the first answer', async () => {
    fake.misbehave(() => ({ status: 402 }));
    const { status, err } = await bulk([listFile()]);
    expect(status).toBe(3);
    expect(err).toContain('note: Stopped before any row was answered; there is nothing to resume.\n');
    expect(err).not.toContain('--resume');
  });

  test.each([
    { name: 'a file that does not exist', args: ['--resume', '/nowhere/at.all'] },
    { name: 'a list without verdicts', args: ['--resume', 'LIST'] },
  ])('$name cannot be resumed', async ({ args }) => {
    const list = listFile();
    const { status } = await bulk([list, ...args.map((arg) => (arg === 'LIST' ? list : arg))]);
    expect({ status, seen: fake.seen.length }).toEqual({ status: 2, seen: 0 });
  });
});
