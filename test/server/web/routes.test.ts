import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../src/service/diagnosis/check.js';
import { openLocalParts } from '../../../src/service/local/local.js';
import type { AppJob, AppKey, JobStats, RowPage, StatusView, UsageView } from '../../../src/wire/app.js';
import { ask, formWith, startList, untilCompleted, uploadList } from '../run-server.js';
import { useServer } from '../use-server.js';
import { type Browser, signedInAdmin, signedInKey } from './browser.js';

const looks: boolean[] = [];
const server = useServer({
  web: {
    diagnose: async function* ({ dial }) {
      looks.push(dial);
      yield ok('smtp_port', 'Port 25 is open.');
    },
  },
});
let admin: Browser;
beforeAll(async () => {
  admin = await signedInAdmin(server);
});

const list =
  'email,note\nada@python.org,one\nnot an address,two\nADA@python.org,three\n,four\ninfo@example.com,"fünf, 5"\n';

/** Files of a folder that this process has open; none where the system does not tell. */
function filesOpenIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  const paths = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // It was the folder of the list itself.
      return '';
    }
  });
  return paths.filter((path) => path.startsWith(join(folder, 'uploads'))).sort();
}

const upload = async (browser: Browser, text = list): Promise<string> =>
  String((await uploadList(browser.api, text)).json?.['upload_id']);

async function submit(browser: Browser, filename?: string, text = list): Promise<string> {
  const id = await startList(browser.api, text, filename);
  await untilCompleted(browser.api, id);
  return id;
}

describe('columns of one name', () => {
  const twins = 'email,name,email\nada@python.org,Ada,eve@python.org\nbob@python.org,Bob,\n';
  const planOf = (id: string, column: number, name = 'email') =>
    admin.ask(`/app/uploads/${id}/plan?email_column=${name}&email_column_numbers=${column}`);
  const confirm = (id: string, column: number, name = 'email') =>
    admin.post('/api/v1/bulk/upload/confirm', {
      upload_id: id,
      email_column: name,
      email_column_numbers: String(column),
    });

  test('are distinguished by position, from the preview to the rows', async () => {
    const preview = await uploadList(admin.api, twins);
    expect(preview.json?.['suggested_email_column_number']).toBe(1);
    const id = String(preview.json?.['upload_id']);
    expect((await planOf(id, 1)).json).toMatchObject({ addresses: 2 });
    expect((await planOf(id, 3)).json).toMatchObject({ addresses: 1 });
    const created = await confirm(id, 3);
    const job = String(created.json?.['id']);
    await untilCompleted(admin.api, job);
    expect((await admin.ask(`/app/jobs/${job}`)).json).toMatchObject({ email_column: 'email', email_column_number: 3 });
    expect((await admin.ask(`/app/jobs/${await submit(admin)}`)).json).not.toHaveProperty('email_column_number');
    const { rows } = (await admin.ask(`/app/jobs/${job}/rows`)).json as unknown as RowPage;
    expect(rows.map(({ email }) => email)).toEqual(['eve@python.org', '']);
    expect((await confirm(id, 3)).json?.['id']).toBe(job);
    expect((await confirm(id, 1)).status).toBe(409);
  });

  test('that are named twice are vetted once', async () => {
    const id = await upload(admin, twins);
    const plan = `/app/uploads/${id}/plan?email_column=email,email&email_column_numbers=1,3,1`;
    expect((await admin.ask(plan)).json).toMatchObject({ rows: 2, addresses: 3, empty: 1, unique: 3 });
    expect((await admin.ask(plan.replace('1,3,1', '0'))).status).toBe(422);
  });

  test.each([
    { name: 'another name at the position', column: 2 },
    { name: 'no column at the position', column: 4 },
  ])('are refused with $name', async ({ column }) => {
    const id = await upload(admin, twins);
    expect((await planOf(id, column)).status).toBe(422);
    expect((await confirm(id, column)).status).toBe(422);
  });
});

test('rows are numbered from 1, with the header if there is one', async () => {
  const numbersOf = async (filename: string, text: string): Promise<number[]> => {
    const { rows } = (await admin.ask(`/app/jobs/${await submit(admin, filename, text)}/rows`))
      .json as unknown as RowPage;
    return rows.map(({ number }) => number);
  };
  expect(await numbersOf('table.csv', 'email,name\na@python.org,A\nb@python.org,B\n')).toEqual([2, 3]);
  expect(await numbersOf('pasted.txt', 'a@python.org\nb@python.org\n')).toEqual([1, 2]);
});

test('an address is deleted from the lists of all users, and the audit log does not contain it', async () => {
  const job = await submit(admin, 'list.csv', 'email\nforget.me@python.org\nkeep.me@python.org\n');
  const partsOf = async () => ((await admin.ask(`/app/jobs/${job}/stats`)).json as unknown as JobStats).rows;
  expect(await partsOf()).toEqual({ clean: 2, review: 0, rejected: 0 });
  const forgotten = await admin.post('/app/forget', { email: ' Forget.Me@Python.org ' });
  expect(forgotten.status).toBe(200);
  expect(forgotten.json).toMatchObject({ lists: 1, rows: 1, unfinished: [] });
  const { rows } = (await admin.ask(`/app/jobs/${job}/rows`)).json as unknown as RowPage;
  expect(rows.map(({ email }) => email)).toEqual(['keep.me@python.org']);
  expect(await partsOf()).toEqual({ clean: 1, review: 0, rejected: 0 });
  expect((await admin.ask(`/app/jobs/${job}`)).json).toMatchObject({
    ...{ total: 1, processed: 1, valid_count: 1, forgotten_count: 1 },
    sub_status_counts: { not_probed: 1 },
  });
  const audit = (await admin.ask('/app/audit')).text;
  expect(audit).toContain('address_forgotten');
  expect(audit).not.toMatch(/forget\.me/i);
});

test('a list that has not ended is named when an address in it is deleted', async () => {
  const { jobs, close } = await openLocalParts({ home: server.home, level: 'syntax' });
  try {
    const path = join(server.home, 'waiting.csv');
    writeFileSync(path, 'email\nwaiting@python.org\n');
    const { upload_id: upload } = await jobs.previewUpload({ path, filename: 'waiting.csv' });
    // The server does not run lists of the command line.
    const { id } = await jobs.confirmUpload(upload, 'email');
    const { json } = await admin.post('/app/forget', { email: 'waiting@python.org' });
    const owner = { kind: 'local', id: 'local', name: 'command line' };
    expect(json).toMatchObject({ lists: 0, unfinished: [{ id, filename: 'waiting.csv', owner }] });
  } finally {
    await close();
  }
});

test('an administrator sets how long lists are kept, which every page shows', async () => {
  const keepDays = async () => (await admin.ask('/app/session')).json;
  expect(await keepDays()).toHaveProperty('server.keep_days', 90);
  const set = (body: unknown) => admin.ask('/app/retention', { method: 'PATCH', body });
  expect((await set({ keep_days: 30 })).json).toEqual({ keep_days: 30 });
  expect(await keepDays()).toHaveProperty('server.keep_days', 30);
  for (const days of [0, -1, 1.5, 36_501, 'x']) expect((await set({ keep_days: days })).status).toBe(422);
  expect((await set({ keep_days: null })).json).toEqual({ keep_days: null });
  expect(await keepDays()).toHaveProperty('server.keep_days', null);
  expect((await admin.ask('/app/audit')).text).toContain('retention_changed');
});

test('counts: of the job, its parts and its downloads agree, with and without duplicates', async () => {
  const id = await submit(admin, 'counts.csv');
  const job = (await admin.ask(`/app/jobs/${id}`)).json as unknown as AppJob;
  const { rows: parts } = (await admin.ask(`/app/jobs/${id}/stats`)).json as unknown as JobStats;
  const rowsOf = async (query: string): Promise<number> => {
    const { text } = await admin.ask(`/app/jobs/${id}/results?format=ndjson&${query}`);
    return text.split('\n').filter((line) => line !== '').length;
  };
  const { total = 0, duplicate_count: duplicates = 0, valid_count: valid = 0, invalid_count: invalid = 0 } = job;
  expect({ total, duplicates, valid, invalid }).toEqual({ total: 5, duplicates: 1, valid: 1, invalid: 2 });
  expect(await rowsOf('')).toBe(total);
  for (const part of ['clean', 'review', 'rejected'] as const) expect(await rowsOf(`part=${part}`)).toBe(parts[part]);
  const unique = 'duplicates=remove';
  expect(await rowsOf(unique)).toBe(total - duplicates);
  expect(await rowsOf(`${unique}&part=clean`)).toBe(valid);
  expect(await rowsOf(`${unique}&part=rejected`)).toBe(invalid);
  expect(await rowsOf(`${unique}&part=review`)).toBe(total - duplicates - valid - invalid);
  const { headers } = await admin.ask(`/app/jobs/${id}/results?${unique}&part=clean`);
  expect(headers['content-disposition']).toContain('counts.clean.unique.csv');
  const page = (await admin.ask(`/app/jobs/${id}/rows`)).json as unknown as RowPage;
  expect([page.columns, page.email_columns]).toEqual([['email', 'note'], [0]]);
});

test('several columns of addresses are verdicts of one row in every download', async () => {
  const text = 'name,work,private\nAda,info@python.org,ada@python.org\nBob,not an address,bob@python.org\n';
  const upload_id = await upload(admin, text);
  const { json } = await admin.post('/api/v1/bulk/upload/confirm', { upload_id, email_column: 'work,private' });
  expect(json).toMatchObject({ email_column: 'work,private', total: 4 });
  const id = String(json?.['id']);
  await untilCompleted(admin.api, id);
  const get = async (query: string) => (await admin.ask(`/app/jobs/${id}/results?${query}`)).text;
  const [head, ...rows] = (await get('')).trim().split('\n');
  expect(head).toMatch(/^name,work,private,work_mailvet_status,.*,private_mailvet_status,/);
  expect(rows).toEqual([
    'Ada,info@python.org,ada@python.org,risky,role_based,0.9,false,,valid,not_probed,0.6,false,',
    'Bob,not an address,bob@python.org,invalid,failed_syntax_check,0.99,false,,valid,not_probed,0.6,false,',
  ]);
  expect((await get('only=invalid')).trim().split('\n')).toEqual([head, rows[1]]);
  // An object is one address, so its row's other addresses are not selected with it.
  const emailsIn = async (query: string) =>
    [...(await get(query)).matchAll(/"email":"(.*?)"/g)].map(([, email]) => email);
  for (const format of ['ndjson', 'json']) {
    expect(await emailsIn(`format=${format}&only=invalid`)).toEqual(['not an address']);
    expect(await emailsIn(`format=${format}&reason=role_based`)).toEqual(['info@python.org']);
    expect(await emailsIn(`format=${format}&part=review`)).toHaveLength(4);
  }
  expect((await get('duplicates=remove&columns=1')).split('\n')[2]).toMatch(/^Bob,invalid,.*,valid,not_probed,/);
  const unknown = { upload_id: await upload(admin, text), email_column: 'work,home' };
  expect((await admin.post('/api/v1/bulk/upload/confirm', unknown)).json).toMatchObject({
    error: { message: 'The file has no column "work,home".' },
  });
});

describe('keys', () => {
  const list = async (): Promise<AppKey[]> =>
    ((await admin.ask('/app/keys')).json as { keys: AppKey[] } | null)?.keys ?? [];

  test('are created, shown once, renamed, given credits and time, and revoked', async () => {
    const created = await admin.post('/app/keys', { name: ' crm <import> ', credits: 10, plan: 'team' });
    const { key, record } = created.json as unknown as { key: string; record: AppKey };
    expect(record).toMatchObject({ name: 'crm <import>', credits: 10, granted: 10, plan: 'team', state: 'active' });
    expect((await ask(`${server.url}/credits`, { key })).json).toMatchObject({ credits: 10, plan: 'team' });
    const changes = { name: 'crm', credits: 15, expires_at: '2100-01-01T00:00:00Z' };
    expect((await admin.ask(`/app/keys/${record.id}`, { method: 'PATCH', body: changes })).json).toMatchObject({
      ...{ name: 'crm', credits: 15, granted: 15, expires_at: '2100-01-01T00:00:00.000Z' },
    });
    expect((await list())[0]).toMatchObject({ id: record.id, state: 'active' });
    expect(JSON.stringify(await list())).not.toContain(key);
    const browser = await signedInKey(server, key);
    expect((await admin.ask(`/app/keys/${record.id}`, { method: 'DELETE' })).json).toMatchObject({ state: 'revoked' });
    expect((await browser.ask('/app/jobs')).status).toBe(401);
    expect((await admin.ask(`/app/keys/${record.id}`, { method: 'PATCH', body: changes })).status).toBe(409);
  });

  test.each([
    { name: 'no name', body: {} },
    ...['  ', 'a\nb', 'a\u202eb', 'a\u200fb', 'a\ud800', 'a\u2067b'].map((name) => ({
      name: `the name ${JSON.stringify(name)}`,
      body: { name },
    })),
    { name: 'a plan of two words', body: { name: 'a', plan: 'a b' } },
    { name: 'credits below zero', body: { name: 'a', credits: -1 } },
    { name: 'a time that is over', body: { name: 'a', expires_at: '2020-01-01T00:00:00Z' } },
    { name: 'an invalid time', body: { name: 'a', expires_at: 'soon' } },
  ])('are not created with $name', async ({ body }) => expect((await admin.post('/app/keys', body)).status).toBe(422));

  test('get credits at any time, or none, and unknown ones are not found', async () => {
    const { id } = await server.makeKey({ credits: null });
    const set = async (credits: unknown) =>
      (await admin.ask(`/app/keys/${id}`, { method: 'PATCH', body: { credits } })).json;
    expect(await set(5)).toMatchObject({ credits: 5, granted: 5, state: 'active' });
    expect(await set(0)).toMatchObject({ credits: 0, state: 'no_credits' });
    expect(await set(null)).toMatchObject({ credits: null, granted: null });
    expect(await set(-1)).toHaveProperty('error');
    for (const method of ['PATCH', 'DELETE'] as const)
      expect((await admin.ask('/app/keys/none', { method, ...(method === 'PATCH' && { body: {} }) })).status).toBe(404);
  });
});

describe('a check', () => {
  test('returns the result, its explanation and its evidence, and costs a key one credit', async () => {
    const { key } = await server.makeKey({ credits: 1 });
    const browser = await signedInKey(server, key);
    const { json } = await browser.post('/app/check', { email: ' not an address ' });
    expect(json).toMatchObject({
      result: { email: 'not an address', status: 'invalid', sub_status: 'failed_syntax_check' },
      verdict: { code: 'failed_syntax_check', means: 'This is not an email address.' },
      evidence: { syntax: expect.anything() },
    });
    expect((json as { result: object }).result).not.toHaveProperty('evidence');
    const refused = await browser.post('/app/check', { email: 'a@b.example' });
    expect(refused.status).toBe(402);
    expect(refused.json).toHaveProperty('error.hint', expect.stringContaining('The menu with your name'));
    expect(refused.text).not.toContain('/api/');
    const byProgram = await ask(`${server.url}/validation/single`, { key, body: { email: 'a@b.example' } });
    expect(byProgram.text).toContain('GET /api/v1/credits');
    expect((await admin.post('/app/check', { email: 'a@b.example' })).status).toBe(200);
  });

  test('names its own verdict first, then the typo', async () => {
    expect((await admin.post('/app/check', { email: 'info@gmial.com' })).json).toMatchObject({
      result: { status: 'risky', sub_status: 'role_based', did_you_mean: 'info@gmail.com' },
      verdict: { code: 'role_based' },
      reasons: expect.arrayContaining([expect.objectContaining({ code: 'possible_typo' })]),
    });
  });
});

describe('lists', () => {
  test('are planned before they are paid', async () => {
    const { key } = await server.makeKey({ credits: 7 });
    const browser = await signedInKey(server, key);
    const id = await upload(browser);
    const plan = { rows: 5, addresses: 4, unique: 3, empty: 1, duplicates: 1, credits: 3, balance: 7 };
    expect((await browser.ask(`/app/uploads/${id}/plan?email_column=email`)).json).toEqual(plan);
    expect((await browser.ask(`/app/uploads/${id}/plan?email_column=nothing`)).status).toBe(422);
    const uploaded = await upload(admin);
    expect((await admin.ask(`/app/uploads/${uploaded}/plan?email_column=email`)).json).toMatchObject({
      credits: 0,
      balance: null,
    });
  });

  test('the administrator sees all jobs, finds them by name, and pays nothing', async () => {
    const { key, id: keyId } = await server.makeKey({ name: 'sales', credits: 10 });
    const theirs = await submit(await signedInKey(server, key), 'Leads November.csv');
    const his = await submit(admin, 'own.csv');
    const found = await admin.ask('/app/jobs?search=leads%20nov');
    expect(found.json).toMatchObject({
      total: 1,
      jobs: [{ id: theirs, owner: { kind: 'key', id: keyId, name: 'sales' } }],
    });
    const all = (await admin.ask('/app/jobs?limit=1')).json as unknown as { jobs: AppJob[]; total: number };
    expect(all.jobs[0]).toMatchObject({ id: his, owner: { kind: 'admin' }, waiting_count: 0, retry_at: null });
    expect(all.total).toBeGreaterThanOrEqual(2);
    expect((await ask(`${server.url}/credits`, { key })).json).toMatchObject({ credits: 7 });
  });

  test('have statistics and rows, by status and text', async () => {
    const id = await submit(admin, 'figures.csv');
    const figures = (await admin.ask(`/app/jobs/${id}/stats`)).json as unknown as JobStats;
    expect(figures.stats.reasons.names.find(({ name }) => name === 'failed_syntax_check')).toMatchObject({
      invalid: 1,
    });
    expect(figures.stats.domains.names.map(({ name, total }) => [name, total])).toContainEqual(['python.org', 1]);
    const rows = async (query: string): Promise<RowPage> =>
      (await admin.ask(`/app/jobs/${id}/rows?${query}`)).json as unknown as RowPage;
    expect((await rows('only=invalid')).rows.map(({ number, email }) => [number, email])).toContainEqual([
      3,
      'not an address',
    ]);
    expect(await rows('search=F%C3%9CNF')).toMatchObject({
      rows: [{ number: 6, cells: ['info@example.com', 'fünf, 5'] }],
      more: false,
    });
    expect(await rows('limit=2&skip=1')).toMatchObject({ rows: [{ number: 3 }, { number: 4 }], more: true });
    expect((await admin.ask(`/app/jobs/${id}/rows?only=nonsense`)).status).toBe(422);
  });

  test('that are not UTF-8 are shown by the language of the browser', async () => {
    const bytes = Buffer.from('email,name\nada@python.org,\xa3ukasz\n', 'latin1');
    const headers = { 'accept-language': 'pl-PL,pl;q=0.9,en;q=0.5' };
    const body = formWith(new Blob([bytes]), 'lista.csv');
    const preview = await admin.ask('/api/v1/bulk/upload/preview', { method: 'POST', body, headers });
    expect(preview.json).toMatchObject({ sample_rows: [['ada@python.org', 'Łukasz']] });
  });

  test('are downloaded as a whole or in part, under their own name', async () => {
    const id = await submit(admin, 'Kunden "neu".csv');
    const get = (query: string) => admin.ask(`/app/jobs/${id}/results?${query}`);
    const whole = await get('');
    expect(whole.text.split('\n')).toHaveLength(7);
    const rejected = await get('part=rejected');
    expect(rejected.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(rejected.headers['content-disposition']).toBe(
      `attachment; filename="Kunden _neu_.rejected.csv"; filename*=UTF-8''Kunden%20%22neu%22.rejected.csv`,
    );
    expect(rejected.text).toContain('not an address');
    expect(rejected.text).not.toContain('ada@python.org');
    expect((await get('columns=2&only=valid')).text.split('\n')[0]).toMatch(/^note,/);
    expect((await get('columns=9')).status).toBe(422);
    await expect.poll(() => filesOpenIn(server.home), { timeout: 5_000 }).toEqual([]);
    expect((await get('reason=failed_syntax_check&format=ndjson')).text.trim().split('\n')).toHaveLength(1);
    const sheet = await get('part=clean&format=xlsx');
    expect(sheet.headers['content-type']).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(sheet.headers['content-disposition']).toContain('.clean.xlsx');
    expect(sheet.text).toMatch(/^PK/);
    const lines = (await get('only=valid&format=ndjson')).text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { email: 'ada@python.org', input: { note: 'one' } },
      { email: 'ADA@python.org' },
    ]);
  });

  test('are sorted as --clean does, each row into one file, and counted as they are written', async () => {
    const id = await submit(admin, 'sorted.csv');
    const written = async (part: string): Promise<string[]> => {
      const { text } = await admin.ask(`/app/jobs/${id}/results?part=${part}&format=ndjson`);
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as { input: { note: string } }).input.note);
    };
    const files = {
      clean: await written('clean'),
      review: await written('review'),
      rejected: await written('rejected'),
    };
    expect(files.clean).toEqual(['one', 'three']);
    expect(files.review).toContain('four');
    expect(Object.values(files).flat().sort()).toEqual(['four', 'fünf, 5', 'one', 'three', 'two']);
    const { rows: parts } = (await admin.ask(`/app/jobs/${id}/stats`)).json as unknown as JobStats;
    expect(parts).toEqual({ clean: files.clean.length, review: files.review.length, rejected: files.rejected.length });
  });
});

test('a list that is checked again keeps what is new enough, says what changed, and counts as another list', async () => {
  const id = await submit(admin, 'yearly.csv');
  const again = await admin.post(`/app/jobs/${id}/check-again`, { max_age_days: 30 });
  expect(again.status).toBe(200);
  const next = String(again.json?.['id']);
  expect(next).not.toBe(id);
  await untilCompleted(admin.api, next);
  const list = (await admin.ask(`/app/jobs/${next}`)).json;
  expect(list).toMatchObject({ filename: 'yearly.csv', earlier_id: id, total: 5 });
  expect((await admin.ask(`/app/jobs/${next}/changes`)).json).toMatchObject({
    ...{ new: 0, changed: 0, same: 3, rows: [] },
  });
  expect((await admin.ask(`/app/jobs/${id}/changes`)).status).toBe(404);
  expect((await admin.ask(`/api/v1/bulk/jobs/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await admin.ask(`/app/jobs/${next}`)).json).not.toHaveProperty('earlier_id');
  expect((await admin.ask('/app/audit?search=checked%20again')).json).toMatchObject({ total: 1 });
});

test('usage counts requests, verdicts, reasons and domains of a key by the day, and no addresses', async () => {
  const { key, id } = await server.makeKey({ name: 'counted' });
  const emails = ['someone.secret@python.org', 'other@python.org', 'nonsense', 'nonsense'];
  await ask(`${server.url}/validation/single`, { key, body: { email: 'first@python.org' } });
  await ask(`${server.url}/validation/bulk`, { key, body: { emails } });
  const browser = await signedInKey(server, key);
  await submit(browser);
  const { text, json } = await browser.ask('/app/usage?days=7');
  const usage = json as unknown as UsageView;
  expect(usage.days).toHaveLength(7);
  expect(usage.days.at(-1)).toMatchObject({ day: new Date().toISOString().slice(0, 10), valid: 4, invalid: 3 });
  expect(usage.days.at(-1)?.requests).toBe(2);
  expect(usage.owners).toMatchObject([
    { owner: { kind: 'key', id, name: 'counted' }, addresses: 7, by_day: [0, 0, 0, 0, 0, 0, 7] },
  ]);
  expect(usage.reasons.find(({ code }) => code === 'failed_syntax_check')).toMatchObject({
    status: 'invalid',
    count: 2,
  });
  expect(usage.domains[0]).toEqual({ name: 'python.org', count: 4 });
  expect(text).not.toContain('@');
  expect(text).not.toContain('nonsense');
  const all = (await admin.ask('/app/usage')).json as unknown as UsageView;
  expect(all.days).toHaveLength(90);
  expect(all.owners.map(({ owner }) => owner.name)).toEqual(expect.arrayContaining(['counted', 'Admin']));
});

test('usage ends with the last day that has any', async () => {
  const { key, id } = await server.makeKey({});
  const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
  const parts = await openLocalParts({ home: server.home, level: 'syntax' });
  const store = await parts.jobs.store();
  await store.addUsage([{ day, owner: id, kind: 'verdict', name: 'valid ', count: 3 }]);
  await parts.close();
  const { days } = (await (await signedInKey(server, key)).ask('/app/usage?days=7')).json as unknown as UsageView;
  expect([days.length, days.at(-1)]).toEqual([7, { day, requests: 0, valid: 3, risky: 0, invalid: 0, unknown: 0 }]);
});

describe('status', () => {
  test('shows the findings of doctor; mail servers are dialed only on request', async () => {
    const first = (await admin.ask('/app/status')).json as unknown as StatusView;
    expect(first).toMatchObject({
      findings: [{ name: 'smtp_port', title: 'Mail port', state: 'ok', message: 'Port 25 is open.' }],
      complete: false,
    });
    await admin.ask('/app/status');
    expect(looks).toEqual([false]);
    expect((await admin.post('/app/status')).json).toMatchObject({ complete: true });
    expect((await admin.ask('/app/status')).json).toMatchObject({ complete: true });
    expect(looks).toEqual([false, true]);
  });
});
