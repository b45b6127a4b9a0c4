import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createEngine } from '../../../src/service/create-engine.js';
import { watchSuppression } from '../../../src/service/suppression.js';
import { startNetwork } from '../../fakes/network.js';

const untyped = (value: unknown) => value as never;

describe('callers without types', () => {
  test.each([undefined, null, 5, {}, ''])('validate(%j) is a result, not an exception', async (given) => {
    const engine = createEngine({ level: 'syntax' });
    expect(await engine.validate(untyped(given))).toMatchObject({
      status: 'invalid',
      sub_status: 'failed_syntax_check',
    });
  });

  test('a plain list of addresses is accepted', async () => {
    const engine = createEngine({ level: 'syntax' });
    const seen: string[] = [];
    for await (const answers of engine.validateMany(untyped(['a@python.org', 'b@python.org', null]))) {
      for (const { result } of answers) seen.push(`${result.email} ${result.status}`);
    }
    expect(seen).toEqual(['a@python.org valid', 'b@python.org valid', ' invalid']);
  });

  test.each(['a@python.org', null, 5, {}])(
    'validateMany(%j) is refused, and not read letter by letter',
    async (given) => {
      const answers = createEngine({ level: 'syntax' }).validateMany(untyped(given));
      await expect(answers[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'Failure', code: 'usage' });
    },
  );
});

test('results share no list of reasons, not even those of one mailbox', async () => {
  const engine = createEngine({ level: 'syntax' });
  const seen = [await engine.validate('a@python.org'), await engine.validate('b@python.org')];
  for await (const answers of engine.validateMany([['a@python.org', 'c@python.org', 'a@python.org']])) {
    for (const { result } of answers) if ('reasons' in result) seen.push(result);
  }
  expect(seen).toHaveLength(5);
  for (const [at, { reasons }] of seen.entries()) {
    expect(reasons).not.toContain('mine');
    reasons.push('mine', String(at));
  }
  expect((await engine.validate('a@python.org')).reasons).not.toContain('mine');
});

describe('suppression lists', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stop.csv');
  writeFileSync(path, 'address,since,kind,times\na@python.org,2026-11-03,hard,1\n');

  test('their addresses are not asked for', async () => {
    const engine = createEngine({ level: 'syntax', exclude: [path] });
    const suppressed = { status: 'suppressed', is_valid: false, safe_to_send: false, reasons: ['suppressed'] };
    expect(await engine.validate('A@python.org')).toMatchObject(suppressed);
    expect(await engine.validate('b@python.org')).toMatchObject({ status: 'valid' });
    const seen: string[] = [];
    for await (const answers of engine.validateMany([['a@python.org', 'b@python.org']])) {
      for (const { result } of answers) seen.push(result.status);
    }
    expect(seen).toEqual(['suppressed', 'valid']);
  });

  test('a list that was replaced counts within a minute', async () => {
    let now = 0;
    const includes = await watchSuppression([path], () => now);
    writeFileSync(
      path,
      'address,since,kind,times\nc@python.org,2026-11-03,complaint,1\nd@python.org,2026-11-03,hard,1\n',
    );
    expect(includes('c@python.org')).toBe(false);
    now = 60_000;
    includes('c@python.org');
    await vi.waitFor(() => expect(includes('c@python.org')).toBe(true));
    rmSync(path);
    now = 120_000;
    expect(includes('c@python.org')).toBe(true);
  });
});

describe('after close', () => {
  const closed = async () => {
    const engine = createEngine({ level: 'syntax' });
    await engine.validate('a@python.org');
    await engine.close();
    return engine;
  };
  const wanted = { name: 'Failure', code: 'usage', message: 'The engine is closed.' };

  test('validate is refused', async () => {
    await expect((await closed()).validate('a@python.org')).rejects.toMatchObject(wanted);
  });

  test('validateMany is refused', async () => {
    const answers = (await closed()).validateMany([['a@python.org']]);
    await expect(answers[Symbol.asyncIterator]().next()).rejects.toMatchObject(wanted);
  });

  test('closing again does no harm', async () => expect((await closed()).close()).resolves.toBeUndefined());
});

describe('createEngine', () => {
  test.each([
    ['nothing', undefined],
    ['every option', { level: 'smtp', timeoutMs: 5_000, concurrency: 10, resolvers: ['127.0.0.1:53', '::1'] }],
    ['null if it is not set', { timeoutMs: null, proxy: null, allowList: null }],
    ['undefined for anything', { level: undefined, resolvers: undefined }],
    ['empty lists', { resolvers: [], allowNetworks: [] }],
  ])('takes %s', (_name, options) => expect(() => createEngine(untyped(options))).not.toThrow());

  test.each([
    [{ level: 'deep' }, 'The option level cannot be the text "deep".', 'syntax, dns, smtp'],
    [{ timeoutMs: '5s' }, 'The option timeoutMs cannot be the text "5s".', 'milliseconds'],
    [{ timeoutMs: Number.NaN }, 'The option timeoutMs cannot be NaN.', 'from 100 to 3,600,000'],
    [{ concurrency: 0 }, 'The option concurrency cannot be 0.', 'from 1 to 10,000'],
    [{ smtpPort: 99_999 }, 'The option smtpPort cannot be 99999.', 'from 1 to 65,535'],
    [{ allowNetworks: '10.0.0.0/8' }, 'The option allowNetworks cannot be this text.', 'a list'],
    [
      { allowNetworks: ['10.0.0.0/99'] },
      'The option allowNetworks cannot be a list with the text "10.0.0.0/99" in it.',
      'such as 10.0.0.0/8',
    ],
    [{ resolvers: [5] }, 'The option resolvers cannot be a list with 5 in it.', 'a list'],
    [{ ai: 'yes' }, 'The option ai cannot be this text.', 'true, false'],
    [{ denyList: 5 }, 'The option denyList cannot be a number.', 'a path'],
    [{ proxy: 'http://u:hush@x' }, 'The option proxy cannot be this text.', 'socks5://'],
    [{ level: null }, 'The option level cannot be null.', 'syntax'],
    [{ onNote: 'log' }, 'The option onNote cannot be this text.', 'a function'],
    [{ levle: 'dns' }, 'There is no option "levle".', 'Did you mean level?'],
    [{ timeout_ms: 5 }, 'There is no option "timeout_ms".', 'Did you mean timeoutMs?'],
    [{ flavour: 'sweet' }, 'There is no option "flavour".', 'Allowed: level,'],
    [{ planTier: 'pro' }, 'There is no option "planTier".', 'greylistWaitMs, exclude, onNote, fallback.'],
    [null, 'The engine options must be an object, not null.', null],
  ])('refuses %s', (options, message, hint) => {
    const wanted = { name: 'Failure', code: 'usage', message };
    expect(() => createEngine(untyped(options))).toThrow(expect.objectContaining(wanted));
    expect(() => createEngine(untyped(options))).toThrow(
      expect.objectContaining({ hint: hint === null ? null : expect.stringContaining(hint) }),
    );
  });
});

test('a list with a deadline: addresses without an answer by then are unknown, and the other verdicts stay', async () => {
  const network = await startNetwork({
    rcpt: (address) => (address.includes('slow') ? null : '550 5.1.1 no such user'),
  });
  const engine = createEngine(network.options);
  const emails = ['gone@one.com', 'slow@two.com', 'nobody', 'slow@three.com'];
  const found: string[] = [];
  try {
    const caller = new AbortController();
    for await (const answers of engine.validateMany([emails], { deadlineMs: 2_000, signal: caller.signal })) {
      for (const { result } of answers) found.push(`${result.email} ${'sub_status' in result && result.sub_status}`);
    }
  } finally {
    await engine.close();
    await network.stop();
  }
  expect(found).toEqual([
    'gone@one.com mailbox_not_found',
    'slow@two.com timeout_exceeded',
    'nobody failed_syntax_check',
    'slow@three.com timeout_exceeded',
  ]);
});

test('stopping a list while an address waits for its mail server yields all later answers, and the last one for it', async () => {
  const network = await startNetwork({
    rcpt: (address) => (address.includes('grey') ? '451 4.7.1 Greylisted, try again later' : '550 5.1.1 no such user'),
  });
  const caller = new AbortController();
  const notes: string[] = [];
  const engine = createEngine({ ...network.options, onNote: (note) => notes.push(note) });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
  async function* emails() {
    yield ['grey@one.com', 'Grey@ONE.com', ...Array.from({ length: 20 }, (_, row) => `gone${row}@two.com`)];
    while (network.host.commands.filter((line) => line.includes('gone')).length < 20) await turn();
    // Replies that have arrived are read and judged.
    for (let turns = 0; turns < 50; turns++) await turn();
    caller.abort(new Error('stopped'));
    yield ['late@three.com'];
  }
  const found: (string | undefined)[] = [];
  const run = async () => {
    for await (const answers of engine.validateMany(emails(), { signal: caller.signal })) {
      for (const { result, unanswered, duplicate } of answers) {
        found.push(unanswered ? `${result.email} ?` : `${result.email} ${result.status}${duplicate ? ' again' : ''}`);
      }
    }
  };
  try {
    await expect(run()).rejects.toThrow('stopped');
  } finally {
    await engine.close();
    await network.stop();
  }
  expect(found.slice(0, 22)).toEqual([
    'grey@one.com unknown',
    'Grey@ONE.com invalid again',
    ...Array.from({ length: 20 }, (_, row) => `gone${row}@two.com invalid`),
  ]);
  expect(notes).toContain('waiting_for_greylists');
});
