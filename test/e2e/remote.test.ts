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
});
