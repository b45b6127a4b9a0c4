import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, signIn, useBrowser, useServing } from './open-browser.js';
import { chooseList, createKey, open, press, signInByKey } from './steps.js';

const lab = useBrowser();
const serving = useServing();
/** A key with a list of its own, so that every page has content. */
let key = '';
beforeAll(async () => {
  const { page } = await lab.signedIn(serving, '/keys');
  key = await createKey(page, { Name: 'billing', Credits: '1000' });
  const { page: own } = await lab.open(`${serving.root}/lists`);
  await signInByKey(own, key);
  const rows = Array.from({ length: 300 }, (_, at) => `p${at}@${at % 3 === 0 ? 'mailinator.com' : 'python.org'}`);
  await chooseList(own, 'november.csv', `email\n${rows.join('\n')}\nnot an address\n`);
  await press(own, 'Check 301 addresses');
  await own.getByText('301 of 301 rows answered').waitFor();
});

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
    await signInByKey(page, 'mv_wrong');
    lab.allow(/401/);
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    await press(page, 'Use the administrator password instead');
    await signIn(page);
    await page.getByLabel(/settings and sign out/).click();
    await expectAccessible(page);
    await open(page, 'Account and sessions');
    await press(page, 'Change password…');
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

test('a key signs in to its own lists only, not to pages for members', async () => {
  const { page } = await lab.open(`${serving.root}/lists`);
  await signInByKey(page, key);
  await page.getByRole('link', { name: 'november.csv' }).waitFor();
  expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  for (const path of ['/keys', '/settings/webhooks']) {
    await page.goto(`${serving.root}${path}`);
    await page.getByRole('heading', { name: 'Members and administrators only' }).waitFor();
  }
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
