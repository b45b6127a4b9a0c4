import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { type Serving, serve } from './serve.js';

const lab = useBrowser();
let serving: Serving;
beforeAll(async () => {
  serving = await serve();
  expect((await createContent(serving)).key).toMatch(/^mv_/);
});
afterAll(() => serving?.stop());

/** Creates content for every page: a key, a completed list, and some usage. */
async function createContent({ root }: Serving): Promise<{ key: string }> {
  const { password } = await import('./serve.js');
  const json = { 'content-type': 'application/json', origin: root, 'sec-fetch-site': 'same-origin' };
  const signIn = await fetch(`${root}/app/sign-in`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ password }),
  });
  const cookie = signIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const created = await fetch(`${root}/app/keys`, {
    method: 'POST',
    headers: { ...json, cookie },
    body: JSON.stringify({ name: 'billing', credits: 1_000 }),
  });
  const { key } = (await created.json()) as { key: string };
  const form = new FormData();
  const list = Array.from({ length: 300 }, (_, at) => `p${at}@${at % 3 === 0 ? 'mailinator.com' : 'python.org'}`);
  form.append('file', new Blob([`email\n${list.join('\n')}\nnot an address\n`]), 'november.csv');
  const headers = { 'x-api-key': key };
  const preview = await fetch(`${root}/api/v1/bulk/upload/preview`, { method: 'POST', headers, body: form });
  const { upload_id } = (await preview.json()) as { upload_id: string };
  const body = JSON.stringify({ upload_id, email_column: 'email' });
  await fetch(`${root}/api/v1/bulk/upload/confirm`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  return { key };
}

const pages = [
  { path: '/', heading: 'Check an address' },
  { path: '/lists', heading: 'Lists' },
  { path: '/keys', heading: 'API keys' },
  { path: '/interface', heading: 'Interface' },
  { path: '/settings', heading: 'Members' },
  { path: '/settings/webhooks', heading: 'Webhooks' },
  { path: '/settings/retention', heading: 'Retention' },
  { path: '/settings/forget', heading: 'Forget an address' },
  { path: '/settings/audit', heading: 'Audit log' },
  { path: '/account', heading: 'Account' },
  { path: '/usage', heading: 'Usage' },
  { path: '/status', heading: 'Status' },
  { path: '/nope/here', heading: 'Page not found' },
] as const;

describe.each([
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 768, colorScheme: 'light' },
  { width: 1600, colorScheme: 'dark' },
] as const)('at $width px, $colorScheme', ({ width, colorScheme }) => {
  test('every page loads, and axe-core finds no violation', async () => {
    const { page } = await lab.signedIn(serving, '/', { viewport: { width, height: 800 }, colorScheme });
    lab.allow(/404.*nope/);
    for (const { path, heading } of pages) {
      await page.goto(`${serving.root}${path}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      await expectAccessible(page);
      expect(await page.title()).toBe(`${heading} · mailvet`);
    }
    await page.goto(`${serving.root}/lists`);
    await page.getByRole('link', { name: 'november.csv' }).click();
    await page.getByText('301 of 301 rows answered').waitFor();
    await page.getByRole('region', { name: 'Rows' }).getByText('p1@python.org').waitFor();
    await expectAccessible(page);
  });

  test('axe-core finds no violation in sign-in, menus and dialogs', async () => {
    const { page } = await lab.open(serving.root, { viewport: { width, height: 800 }, colorScheme });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Use an API key instead' }).click();
    await page.getByLabel('API key').fill('mv_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    lab.allow(/401/);
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Use the administrator password instead' }).click();
    const { signIn } = await import('./open-browser.js');
    await signIn(page);
    await page.getByLabel(/settings and sign out/).click();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Account and sessions' }).click();
    await page.getByRole('button', { name: 'Change password…' }).click();
    await page.getByRole('dialog', { name: 'The password is managed elsewhere' }).waitFor();
    await page.getByText('serve.admin_password_file').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

test('the chosen theme overrides the system setting and is remembered', async () => {
  const { page } = await lab.signedIn(serving, '/', { colorScheme: 'light' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByLabel(/settings and sign out/).click();
  await page.getByLabel('Dark').check();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole('heading', { name: 'Check an address' }).waitFor();
  expect(await background()).toBe(dark);
});

test('a key signs in to its own lists only, not to pages for administrators', async () => {
  const { key } = await createContent(serving);
  const { page } = await lab.open(`${serving.root}/lists`);
  await page.getByRole('button', { name: 'Use an API key instead' }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'november.csv' }).waitFor();
  expect(await page.getByRole('link', { name: 'november.csv' }).count()).toBe(1);
  expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  await page.goto(`${serving.root}/keys`);
  await page.getByRole('heading', { name: 'Members and administrators only' }).waitFor();
  await expectAccessible(page);
});

test('a browser loads less than 45 kB of compressed code', async () => {
  const { page } = await lab.open('about:blank');
  const loaded: Promise<number>[] = [];
  page.on('requestfinished', (request) =>
    loaded.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
  );
  await page.goto(serving.root);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const bytes = (await Promise.all(loaded)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(45_000);
});
