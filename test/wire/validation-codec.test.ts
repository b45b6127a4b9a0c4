import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asFailure, Failure } from '../../src/model/failure.js';
import { parseJson } from '../../src/wire/fields.js';
import { decodeJob, decodeJobPage, decodePreview } from '../../src/wire/job-codec.js';
import {
  decodeResultLines,
  encodeResultHead,
  encodeResultRow,
  resultObjectEncoder,
} from '../../src/wire/results-codec.js';
import { decodeBulk, decodeResult } from '../../src/wire/validation-codec.js';

const email = 'ada@site.example';

describe('JSON of a foreign service', () => {
  test.each([
    ['an empty text', ''],
    ['a page', '<html>'],
    ['half an object', '{"a":'],
    ['a million brackets', '['.repeat(1_000_000)],
    ['5,000 nested arrays', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ])('%s is bad_answer', (_, text) => expect(codeOf(() => parseJson(text))).toBe('bad_answer'));

  test('keys that reach a prototype are removed at any depth', () => {
    const value = parseJson('{"__proto__":{"status":"valid"},"a":[{"__proto__":{"b":1},"c":2}]}');
    expect(JSON.stringify(value)).toBe('{"a":[{"c":2}]}');
    expect(Reflect.get(Object.prototype, 'status')).toBeUndefined();
  });

  test('a byte order mark is ignored', () => expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 }));
});

describe('a single result', () => {
  test.each([
    {
      name: 'a known status in another spelling',
      raw: { status: ' Valid ' },
      want: { status: 'valid', is_valid: true },
    },
    {
      name: 'an unknown status',
      raw: { status: 'Do_Not_Mail', is_valid: true, safe_to_send: true },
      want: { status: 'Do_Not_Mail', is_valid: false, safe_to_send: false },
    },
    ...[{}, { status: null }, { status: '' }, { status: ' ' }].flatMap((missing) =>
      [true, 'false'].map((is_valid) => ({
        name: `no status: ${JSON.stringify({ ...missing, is_valid })}`,
        raw: { ...missing, is_valid, confidence: 0.99, safe_to_send: true },
        want: { status: 'unknown', is_valid: false, safe_to_send: false, confidence: 0.5 },
      })),
    ),
    {
      name: 'an unknown with a confidence of its own',
      raw: { status: 'unknown', confidence: 0.9 },
      want: { confidence: 0.5 },
    },
    {
      name: 'a status that contradicts is_valid',
      raw: { status: 'valid', is_valid: false },
      want: { status: 'valid', is_valid: false },
    },
    { name: 'numbers as text', raw: { status: 'risky', confidence: '0.5' }, want: { confidence: 0.5 } },
    {
      name: 'nulls',
      raw: { status: 'risky', confidence: null, sub_status: null, did_you_mean: null },
      want: { confidence: 0, sub_status: '', did_you_mean: null },
    },
    { name: 'no address', raw: { status: 'risky' }, want: { email } },
    { name: 'a number for a cause', raw: { status: 'risky', sub_status: 7 }, want: { sub_status: '7' } },
    {
      name: 'no sections',
      raw: { status: 'risky' },
      want: {
        reasons: [
          'details_not_answered',
          'catchall_not_answered',
          'ai_enhancement_not_answered',
          'performance_not_answered',
          'metadata_not_answered',
        ],
      },
    },
    {
      name: 'an envelope',
      raw: { success: true, data: { status: 'invalid', email: 'x@y.example' } },
      want: { status: 'invalid', email: 'x@y.example' },
    },
    {
      name: 'flags as numbers and words',
      raw: { status: 'valid', safe_to_send: 1, details: { has_spf: 'True', has_dmarc: 0 } },
      want: { safe_to_send: true, details: { has_spf: true, has_dmarc: false } },
    },
    {
      name: 'a time of the next retry',
      raw: { status: 'unknown', retry_at: '1700000000' },
      want: { retry_at: 1_700_000_000 },
    },
    {
      name: 'an invalid time of the next retry',
      raw: { status: 'unknown', retry_at: 'soon' },
      want: { status: 'unknown' },
    },
    {
      name: 'the confidence of a catch-all, and its method',
      raw: { status: 'risky', catchall: { confidence: '0.9' }, ai_enhancement: { used: true, method: 'model' } },
      want: { catchall: { confidence: 0.9 }, ai_enhancement: { used: true, method: 'model' } },
    },
    {
      name: 'one reason as a text',
      raw: {
        ...{ status: 'risky', reasons: 'role_based', details: {}, catchall: {}, ai_enhancement: {} },
        ...{ performance: {}, metadata: {} },
      },
      want: { reasons: ['role_based'] },
    },
    {
      name: 'undocumented fields',
      raw: { status: 'valid', score: 9, details: { mx: ['a'], smtp_code: '250' } },
      want: { score: 9, details: { mx: ['a'], smtp_code: 250 } },
    },
  ])('$name', ({ raw, want }) => expect(decodeResult(raw, email)).toMatchObject(want));

  test.each([
    { name: 'an array', raw: [] },
    { name: 'null', raw: null },
    { name: 'no field of a verdict', raw: { email } },
    { name: 'a status that is not text', raw: { status: {} } },
    { name: 'a section that is not an object', raw: { status: 'valid', details: 'yes' } },
    { name: 'a flag that is not boolean', raw: { status: 'valid', details: { has_spf: 'maybe' } } },
    { name: 'a confidence that is not a number', raw: { status: 'valid', confidence: 'high' } },
    { name: 'an infinite confidence', raw: JSON.parse('{"status":"valid","confidence":1e999}') },
    { name: 'an infinite confidence as text', raw: { status: 'valid', confidence: '1e999' } },
    { name: 'an address that is not text', raw: { status: 'valid', email: ['a'] } },
  ])('$name is bad_answer', ({ raw }) => expect(codeOf(() => decodeResult(raw, email))).toBe('bad_answer'));

  test.each([{ mx: 1 }, 'none', { syntax: {} }, { syntax: {}, route: {} }, { syntax: {}, route: {}, catchAll: 'yes' }])(
    'evidence in an unknown format, %j, stays in the JSON and is not rendered',
    (evidence) => {
      const result = decodeResult({ status: 'valid', evidence }, email);
      expect(result.evidence).toBeUndefined();
      expect(JSON.parse(JSON.stringify(result))).toMatchObject({ status: 'valid', evidence });
    },
  );

  test('evidence in our format is rendered', () => {
    const evidence = { syntax: { ok: true }, route: { state: 'passed' }, catchAll: { outcome: 'not_run' } };
    expect(decodeResult({ status: 'valid', evidence }, email).evidence).toEqual(evidence);
  });

  test('every JSON value is a result or bad_answer, and is valid only if its status says so', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          const result = decodeResult(value, email);
          expect(typeof result.status === 'string' && typeof result.is_valid === 'boolean').toBe(true);
          if (result.is_valid) expect(result.status).toBe('valid');
        } catch (error) {
          expect(asFailure(error).code).toBe('bad_answer');
        }
      }),
    );
  });
});

describe('a bulk summary', () => {
  const item = (address: string, status = 'valid') => ({ email: address, status, is_valid: true, confidence: 1 });
  const statusesOf = (value: unknown, sent: string[]) => decodeBulk(value, sent).map((found) => found?.status ?? null);

  test('rows without an address are searched once, not once for each address', () => {
    let reads = 0;
    const nameless = {
      get email() {
        reads++;
        return 7;
      },
    };
    const sent = Array.from({ length: 500 }, (_, index) => `a${index}@x.io`);
    decodeBulk({ results: Array.from({ length: 1_000 }, () => nameless) }, sent);
    expect(reads).toBeLessThan(5_000);
  });

  test.each([
    ['in the order sent', { results: [item('a@x.io'), item('b@x.io', 'risky')] }, ['valid', 'risky']],
    ['in another order', { results: [item('b@x.io', 'risky'), item('a@x.io')] }, ['valid', 'risky']],
    ['spelled in another case', { results: [item('B@X.IO', 'risky'), item('A@X.IO')] }, ['valid', 'risky']],
    ['one left out', { results: [item('b@x.io', 'risky')] }, [null, 'risky']],
    ['without addresses', { results: [{ status: 'valid' }, { status: 'risky' }] }, ['valid', 'risky']],
    ['of other addresses', { results: [item('c@x.io'), item('d@x.io')] }, [null, null]],
    ['an item that is not an object', { results: ['a@x.io', item('b@x.io', 'risky')] }, [null, 'risky']],
    [
      'an item without a verdict',
      { results: [{ email: 'a@x.io', error: 'timeout' }, item('b@x.io')] },
      ['unknown', 'valid'],
    ],
    ['a bare array', [item('a@x.io'), item('b@x.io')], ['valid', 'valid']],
    ['in data.results', { data: { results: [item('a@x.io'), item('b@x.io')] } }, ['valid', 'valid']],
  ])('results %s', (_name, value, want) => expect(statusesOf(value, ['a@x.io', 'b@x.io'])).toEqual(want));

  test.each([
    { name: 'a valid one', row: { status: 'valid', safe_to_send: true }, want: { safe_to_send: true } },
    { name: 'a risky one', row: { status: 'risky', safe_to_send: true }, want: { safe_to_send: false } },
    { name: 'a guess', row: { status: 'risky', did_you_mean: 'a@y.io' }, want: { did_you_mean: 'a@y.io' } },
    { name: 'a reason', row: { status: 'risky', reasons: 'role_based' }, want: { reasons: [] } },
    { name: 'a cause', row: { status: 'risky', sub_status: null }, want: { sub_status: '' } },
  ])('undocumented fields of a row: $name', ({ row, want }) => {
    expect(decodeBulk({ results: [{ email: 'a@x.io', confidence: 1, ...row }] }, ['a@x.io'])).toEqual([
      expect.objectContaining(want),
    ]);
  });

  test('the address stays as it was sent, and unknown fields stay', () => {
    const [found] = decodeBulk({ results: [{ ...item('ADA@X.IO'), mx: 'm' }] }, ['ada@X.io']);
    expect(found).toMatchObject({ email: 'ada@X.io', mx: 'm' });
  });

  test.each([{ value: {} }, { value: { results: 'none' } }, { value: { results: [] } }, { value: 'ok' }])(
    '$value is bad_answer',
    ({ value }) => {
      expect(codeOf(() => decodeBulk(value, ['a@x.io']))).toBe('bad_answer');
    },
  );
});

describe('jobs', () => {
  test.each([
    { name: 'an array', value: [{ id: 'a' }], total: undefined },
    { name: 'jobs', value: { jobs: [{ id: 'a' }], total: 9 }, total: 9 },
    { name: 'items', value: { items: [{ id: 'a' }], count: '9' }, total: 9 },
    { name: 'results', value: { results: [{ id: 'a' }], total: 'many' }, total: undefined },
    { name: 'data', value: { data: [{ id: 'a' }] }, total: undefined },
    { name: 'items next to data without jobs', value: { data: { page: 1 }, items: [{ id: 'a' }] }, total: undefined },
    { name: 'data.jobs', value: { data: { jobs: [{ id: 'a' }] } }, total: undefined },
  ])('are listed in $name', ({ value, total }) => {
    const page = decodeJobPage(value, { skip: 2, limit: 3 });
    expect(page).toMatchObject({ jobs: [{ id: 'a', status: 'unknown' }], skip: 2, limit: 3 });
    expect(page.total).toBe(total);
  });

  test.each([
    { value: {} },
    { value: null },
    { value: { jobs: 'none' } },
    { value: { jobs: {} } },
    { value: ['x'] },
    { value: [{}] },
  ])('$value contains no list', ({ value }) => {
    expect(codeOf(() => decodeJobPage(value, { skip: 0, limit: 10 }))).toBe('bad_answer');
  });

  test.each([
    ['a number for an id', { id: 7, status: 'done' }, { id: '7', status: 'done' }],
    ['job_id and state', { job_id: 'x', state: 'PROCESSING' }, { id: 'x', status: 'PROCESSING' }],
    ['an envelope', { job: { id: 'x', status: 'queued' } }, { id: 'x', status: 'queued' }],
    ['counts as text', { id: 'x', total: '10', processed: null }, { total: 10 }],
    ['times in Unix seconds', { id: 'x', created_at: 1_700_000_000 }, { created_at: '2023-11-14T22:13:20.000Z' }],
    [
      'times in Unix milliseconds',
      { id: 'x', created_at: 1_700_000_000_000 },
      { created_at: '2023-11-14T22:13:20.000Z' },
    ],
    ['an error as an object', { id: 'x', error: { message: 'bad file' } }, { error: 'bad file' }],
  ])('%s', (_name, raw, want) => expect({ ...decodeJob(raw) }).toMatchObject(want));

  test.each([1e300, -1, 0, true, {}])('%j is not a time', (created_at) => {
    expect(decodeJob({ id: 'x', created_at }).created_at).toBeUndefined();
  });

  test('the JSON output has the received fields and types', () => {
    const raw = {
      id: 'x',
      status: 'odd',
      total: null,
      error: { code: 5 },
      created_at: 1_700_000_000,
      extra: { deep: [1] },
    };
    const job = decodeJob(raw);
    expect(job.total).toBeUndefined();
    expect(job.error).toBeUndefined();
    expect(JSON.parse(JSON.stringify(job))).toEqual(raw);
  });

  test('every job that is decoded has an id and a state', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          const job = decodeJob(value);
          expect(typeof job.id === 'string' && typeof job.status === 'string').toBe(true);
        } catch (error) {
          expect(asFailure(error).code).toBe('bad_answer');
        }
      }),
    );
  });
});

describe('an upload preview', () => {
  test.each([
    {
      name: 'as documented',
      raw: { upload_id: 'u', filename: 'f.csv', columns: ['a'], suggested_email_column: 'a' },
      want: { upload_id: 'u', filename: 'f.csv', columns: ['a'] },
    },
    {
      name: 'without a name or a suggestion',
      raw: { upload_id: 1, columns: ['a'], suggested_email_column: null },
      want: { upload_id: '1', filename: 'sent.csv', suggested_email_column: '' },
    },
    {
      name: 'with our additions',
      raw: { upload_id: 'u', columns: ['a'], sample_rows: [['x']], row_count: 5 },
      want: { sample_rows: [['x']], row_count: 5 },
    },
    { name: 'with numbers for columns', raw: { upload_id: 'u', columns: [1, 'a'] }, want: { columns: ['1', 'a'] } },
  ])('$name', ({ raw, want }) => expect(decodePreview(raw, 'sent.csv')).toMatchObject(want));

  test('leaves out additions in another form than ours', () => {
    const foreign = { sample_rows: [['x'], [null]], row_count: '5', row_count_exact: 1 };
    const preview = decodePreview({ upload_id: 'u', columns: ['a'], ...foreign }, 'sent.csv');
    expect(Object.keys(preview)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^sample|^row/)]));
  });

  test.each([
    { raw: {} },
    { raw: { upload_id: 'u' } },
    { raw: { upload_id: {}, columns: [] } },
    { raw: { upload_id: 'u', columns: [{}] } },
  ])('$raw is bad_answer', ({ raw }) => expect(codeOf(() => decodePreview(raw, 'sent.csv'))).toBe('bad_answer'));
});

describe('the rows of a job', () => {
  const verdict = { status: 'valid', sub_status: '', confidence: 0.9, safe_to_send: true, did_you_mean: null };
  const rows = [
    { cells: ['Ada', 'ada@x.io'], email: 'ada@x.io', verdict },
    { cells: ['Bob', ''], email: '', verdict: null },
  ];
  const readRows = async (raws: readonly object[]) => {
    async function* lines() {
      yield '{"columns":["email"]}';
      yield* raws.map((raw) => JSON.stringify(raw));
    }
    return listOf((await decodeResultLines(lines())).rows);
  };

  test('are objects with the verdict and the input', async () => {
    const columns = ['name', 'email'];
    const encode = resultObjectEncoder(columns);
    const [ada, bob] = rows.map((row) => JSON.parse(encode(row)));
    expect(ada).toMatchObject({
      email: 'ada@x.io',
      ...verdict,
      is_valid: true,
      input: { name: 'Ada', email: 'ada@x.io' },
    });
    expect(bob).toMatchObject({ email: '', status: null, is_valid: null, input: { name: 'Bob', email: '' } });
    const short = { cells: ['Ada'], email: '', verdict: null };
    expect(JSON.parse(encode(short)).input).toEqual({ name: 'Ada', email: '' });
  });

  test.each([
    ['columns of the same name', ['a', 'a', 'a_2'], ['1', '2', '3'], { a: '1', a_3: '2', a_2: '3' }],
    ['more cells than columns', ['a'], ['1', '', '3', ''], { a: '1', column_2: '', column_3: '3' }],
    ['a column with a generated name', ['column_2'], ['1', '2'], { column_2: '1', column_2_2: '2' }],
    ['surplus cells that are empty', ['a'], ['1', '', ''], { a: '1' }],
  ])('lose no cell as objects: %s', (_name, columns, cells, want) => {
    const encode = resultObjectEncoder(columns);
    expect(JSON.parse(encode({ cells, email: '', verdict: null })).input).toEqual(want);
    expect(JSON.parse(encode({ cells: ['x'], email: '', verdict: null })).input).not.toHaveProperty('column_3');
  });

  test('are the same after encoding and decoding as lines', async () => {
    const layout = { hasHeader: true, delimiter: ';', preamble: '\ufeffExport;;\r\n', lineEnd: '\r\n' };
    async function* lines() {
      yield encodeResultHead({ columns: ['name', 'email'], layout });
      for (const row of rows) yield encodeResultRow(row);
    }
    const back = await decodeResultLines(lines());
    expect(back).toMatchObject({ columns: ['name', 'email'], layout });
    expect(await listOf(back.rows)).toEqual(rows);
  });

  test.each([
    { name: 'an object', json: '{"id":12345678901234567890,"n":1.0}', want: '{"id":12345678901234567890,"n":1.0}' },
    { name: 'an object on two lines', json: '{"id":1,\n  "n":2}', want: '{"id":1, "n":2}' },
    { name: 'no object', json: '[1]', want: undefined },
  ])('have the text of $name after encoding and decoding as lines', async ({ json, want }) => {
    async function* lines() {
      yield encodeResultHead({ columns: ['id', 'n'] });
      yield encodeResultRow({ cells: ['1', '2'], email: '', verdict: null, json });
    }
    const [row] = await listOf((await decodeResultLines(lines())).rows);
    expect(row?.json).toBe(want);
  });

  test.each([
    { name: 'a known status in another spelling', raw: { status: ' Valid ', safe_to_send: true }, want: 'valid' },
    { name: 'an unknown status', raw: { status: 'Do_Not_Mail' }, want: 'Do_Not_Mail' },
    { name: 'no status, but is_valid', raw: { status: null, is_valid: true }, want: 'unknown' },
    { name: 'no verdict, for a pending row', raw: null, want: undefined },
  ])('are read like single results: $name', async ({ raw, want }) => {
    const [row] = await readRows([{ cells: ['a@x.io'], email: 'a@x.io', verdict: raw }]);
    expect(row?.verdict?.status).toBe(want);
  });

  test.each([
    ['no line at all', []],
    ['a head that is not an object', ['[]']],
    ['a head without columns', ['{}']],
    ['a row that is not an object', ['{"columns":["email"]}', '', '7']],
    ['half a row', ['{"columns":["email"]}', '{"cells":["a@x.io"],"verd']],
    ['a row without cells', ['{"columns":["email"]}', '{"email":"a@x.io"}']],
    ['a cell that is an object', ['{"columns":["email"]}', '{"cells":[{"toString":1}]}']],
    ['an invalid verdict', ['{"columns":["email"]}', '{"cells":["a@x.io"],"verdict":{"status":[]}}']],
  ])('%s is bad_answer', async (_name, lines) => {
    async function* chunksOf() {
      yield* lines;
    }
    await expect(decodeResultLines(chunksOf()).then(({ rows: read }) => listOf(read))).rejects.toMatchObject({
      code: 'bad_answer',
    });
  });

  test('an unknown status is never safe to send', async () => {
    const [row] = await readRows([{ cells: [], email: '', verdict: { status: 'fine', safe_to_send: true } }]);
    expect(row?.verdict).toMatchObject({ status: 'fine', safe_to_send: false });
  });
});

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return asFailure(error).code;
  }
  return 'no failure';
}

async function listOf<Item>(items: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const some of items) list.push(...some);
  return list;
}
