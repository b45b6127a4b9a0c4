import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshFolder } from '../cli/run-cli.js';
import { openServer, type TestServer } from '../server/run-server.js';

let mailvet: TestServer;
let example: ChildProcessWithoutNullStreams;
let url: string;

beforeAll(async () => {
  mailvet = await openServer({ web: null });
  const { key } = await mailvet.makeKey({ isTest: true });
  const folder = freshFolder();
  cpSync('examples/sign-up-form', folder, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules/mailvet'));
  const env = { ...process.env, PORT: '0', MAILVET_BASE_URL: mailvet.root, MAILVET_API_KEY: key };
  example = spawn(process.execPath, [join(folder, 'server.mjs')], { env });
  url = String((await once(example.stdout, 'data'))[0]).trim();
});
afterAll(async () => {
  example?.kill();
  await mailvet?.stop();
});

const signUp = async (form: object | string) => {
  const body = typeof form === 'string' ? form : JSON.stringify(form);
  const response = await fetch(`${url}sign-up`, { method: 'POST', body });
  return { status: response.status, answer: await response.json() };
};
const sandboxAddress = (name: string): string => `${name}@sandbox.mailvet.test`;

describe('the sign-up form', () => {
  test.each([
    ['a good address is taken', sandboxAddress('valid'), 201],
    ['a second account with it is not', sandboxAddress('VALID'), 422],
    ['a mailbox that does not exist is refused', sandboxAddress('mailbox-not-found'), 422],
    ['a disposable one is refused', sandboxAddress('disposable'), 422],
    ['no answer is no refusal', sandboxAddress('greylisted'), 201],
    ['a slow mail server is none either', sandboxAddress('slow-20s'), 201],
    // The key is a test key, so the service refuses: the form continues without it.
    ['nor is a service that fails', 'ada@python.org', 201],
  ])('%s', async (_name, email, status) => expect(await signUp({ email })).toMatchObject({ status }));

  test('a typo is shown as a question that the user can answer', async () => {
    const typo = { message: expect.any(String), suggestion: 'ada@gmail.com' };
    expect(await signUp({ email: 'ada@gmial.com' })).toEqual({ status: 422, answer: typo });
    expect(await signUp({ email: 'ada@gmial.com', isSure: true })).toMatchObject({ status: 201 });
    expect(await signUp('nonsense')).toMatchObject({ status: 400 });
  });

  test('only the page and its module are served', async () => {
    const statuses = ['', 'address.js', 'address-tr46.js', 'index.js', 'address../../package.json'].map(
      async (path) => (await fetch(`${url}${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 404, 404]);
  });
});
