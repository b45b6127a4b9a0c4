import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeService, startFakeService } from '../fakes/fake-service.js';
import { bareEnvironment, runBinary } from './run-binary.js';

let fake: FakeService;
beforeEach(async () => {
  fake = await startFakeService();
});
afterEach(() => fake.stop());

/** Runs a command on the service. */
const mailvet = (args: string[], change: Record<string, string> = {}) =>
  runBinary(args, {
    env: bareEnvironment({
      ...{ MAILVET_MODE: 'remote', MAILVET_BASE_URL: fake.url, MAILVET_API_KEY: fake.apiKey, ...change },
    }),
  });

describe('the program against a service', () => {
  test.each([
    { name: 'by POST', flags: [] },
    { name: 'by GET', flags: ['--get'] },
  ])('validates one address $name', async ({ flags }) => {
    const { status, out } = await mailvet(['validate', 'ada@site.example', '--json', ...flags]);
    expect({ status, result: JSON.parse(out) }).toMatchObject({
      status: 0,
      result: { status: 'valid', is_valid: true },
    });
    expect(fake.violations).toEqual([]);
  });

  test('a missing proxy is a network failure, and the key is in no output', async () => {
    const environment = { MAILVET_BASE_URL: 'https://service.invalid', HTTPS_PROXY: 'http://127.0.0.1:1' };
    const run = await mailvet(
      ['validate', 'ada@site.example', '--json', '--verbose', '--set', 'retries=0'],
      environment,
    );
    expect(run.status).toBe(4);
    expect(run.err).toContain('"code":"network"');
    expect(run.out + run.err).not.toContain(fake.apiKey);
  });

  test('a refused key ends with 3, and is in no output even if the service repeats it', async () => {
    fake.misbehave(() => ({ status: 401, body: JSON.stringify({ detail: `bad key ${fake.apiKey}` }) }));
    const run = await mailvet(['validate', 'ada@site.example', '--verbose']);
    expect(run.status).toBe(3);
    expect(run.err).toContain('bad key ***');
    expect(run.out + run.err).not.toContain(fake.apiKey);
  });

  test.each([
    { name: 'that announces mailvet serve', isMailvet: true, want: 3, says: '' },
    { name: 'that does not', isMailvet: false, want: 2, says: 'does not send the rows of a job, which --output needs' },
  ])('upload -o, before the first job of a service $name', async ({ isMailvet, want, says }) => {
    const account = { name: 'me', plan: 'p', credits: 5, max_rows: 10, max_file_bytes: 1000 };
    fake.isMailvet = isMailvet;
    fake.misbehave(({ path, method }) => {
      if (path.endsWith('/credits')) return { status: 200, body: JSON.stringify(account) };
      // The upload itself is refused.
      return method === 'POST' ? { status: 402, body: '{}' } : undefined;
    });
    const folder = mkdtempSync(join(tmpdir(), 'mailvet-e2e-'));
    writeFileSync(join(folder, 'list.csv'), 'email\nada@site.example\n');
    const args = ['upload', join(folder, 'list.csv'), '--yes', '--wait', '-o', join(folder, 'out.csv'), '--quiet'];
    const { err, status } = await mailvet(args);
    expect(status).toBe(want);
    expect(err).toContain(says);
    const { out } = await mailvet(['doctor', '--json', '--no-probe', '--set', 'level=syntax']);
    const { checks } = JSON.parse(out) as { checks: { name: string; account?: unknown }[] };
    expect(checks.find(({ name }) => name === 'remote')?.account).toEqual(
      isMailvet ? expect.objectContaining({ name: 'me', credits: 5 }) : null,
    );
  });
});
