import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { type Serving, serve } from './serve.js';

const lab = useBrowser();
let serving: Serving;
beforeAll(async () => {
  serving = await serve();
});
afterAll(() => serving?.stop());

const folder = mkdtempSync(join(tmpdir(), 'mailvet-api-page-'));
writeFileSync(join(folder, 'list.csv'), 'email\nada@example.org\n');

/** Runs an example as a user who pastes it. */
function run(language: string, example: string, key: string): string {
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, MAILVET_API_KEY: key } } as const;
  if (language === 'Python') return execFileSync('python3', ['-c', example], options);
  if (language === 'curl') return execFileSync('sh', ['-c', example], { ...options, stdio: 'pipe' });
  return execFileSync(process.execPath, ['--input-type=module', '-e', example], options);
}

test('the API page shows every request, with examples that run and a form to try it', async () => {
  const { page } = await lab.signedIn(serving, '/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('reports');
  await page.getByRole('button', { name: 'Create' }).click();
  const key = (await page.getByText(/^mv_[\w-]{20,}$/).textContent()) ?? '';
  await page.getByRole('link', { name: 'API', exact: true }).click();
  await page.getByText(`${key.slice(0, 10)}… (reports)`).waitFor();
  const operation = (summary: string) => page.locator('details', { hasText: summary }).first();
  const single = operation('/api/v1/validation/single');
  const upload = operation('/api/v1/bulk/upload/preview');
  await single.locator('summary').click();
  await upload.locator('summary').click();
  expect(await page.locator('details.operation').count()).toBe(14);
  await expectAccessible(page);

  await single.getByLabel('email', { exact: true }).fill("o'neil+ü@example.org");
  for (const language of ['curl', 'JavaScript (fetch)', 'Python']) {
    await page.getByLabel('Examples in').selectOption({ label: language });
    const exampleOf = async (panel: typeof single) => (await panel.locator('pre').first().textContent()) ?? '';
    expect(run(language, await exampleOf(single), key)).toContain('"status":"invalid"');
    expect(run(language, await exampleOf(upload), key)).toContain('"suggested_email_column":"email"');
    expect(run(language, await exampleOf(single), 'mv_wrong')).toContain('"hint"');
  }

  await single.getByText('Enter a key above to try it.').waitFor();
  expect(await single.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await page.getByLabel('API key for the requests').fill(key);
  await single.getByRole('button', { name: 'Send' }).click();
  await single.getByText(/^HTTP 200 in/).waitFor();
  await single.getByText('"safe_to_send": false').waitFor();
  await upload.getByLabel('file').setInputFiles(join(folder, 'list.csv'));
  await upload.getByRole('button', { name: 'Send' }).click();
  await upload.getByText('"row_count": 1').waitFor();
  await expectAccessible(page);

  lab.allow(/401/);
  await page.getByLabel('API key for the requests').fill('mv_wrong');
  await single.getByRole('button', { name: 'Send' }).click();
  await single.getByText(/^HTTP 401 in/).waitFor();
  // A wrong key is not the end of the session.
  await page.getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
});

test('the API page does not show an administrator the key of a member', async () => {
  const server = await serve();
  onTestFinished(() => server.stop());
  const { page } = await lab.signedIn(server, '/api-docs');
  const post = (path: string, body: object, cookie?: string) =>
    fetch(`${server.root}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }) },
      body: JSON.stringify(body),
    });
  const invited = await page.evaluate(async () => {
    const body = JSON.stringify({ name: 'Mia', email: 'mia@example.org', role: 'member' });
    const headers = { 'content-type': 'application/json' };
    return (await (await fetch('/app/members', { method: 'POST', headers, body })).json()) as { token: string };
  });
  const joined = await post('/app/invitation', { token: invited.token, password: 'the password of Mia' });
  const cookie = joined.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  expect((await post('/app/keys', { name: 'of Mia' }, cookie)).status).toBe(200);
  await page.reload();
  await page.getByText('You have no key yet.').waitFor();
});
