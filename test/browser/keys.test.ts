import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser, useServing } from './open-browser.js';
import { chooseList, createKey, press, signInByKey } from './steps.js';

const lab = useBrowser();
const serving = useServing();

test('with the keyboard only, a key is created, shown once, changed in name, credits and expiry, and revoked after confirmation', async () => {
  const { page, context } = await lab.signedIn(serving, '/keys');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { keyboard } = page;
  // Keys pressed before the dialog has the focus would be lost.
  const focusInDialog = () => page.waitForFunction(() => document.activeElement?.closest('dialog') != null);
  const focusOn = (name: string) =>
    page.waitForFunction((label) => {
      const { activeElement: focused } = document;
      return (focused?.getAttribute('aria-label') ?? focused?.textContent) === label;
    }, name);
  await page.getByRole('button', { name: 'New key' }).focus();
  await keyboard.press('Enter');
  await focusInDialog();
  await keyboard.press('Escape');
  await focusOn('New key');
  await keyboard.press('Enter');
  await focusInDialog();
  await keyboard.type('signup form');
  await keyboard.press('Tab');
  await keyboard.type('1');
  await expectAccessible(page);
  await keyboard.press('Enter');
  const fresh = page.getByRole('region', { name: 'The new key' });
  const key = await fresh.getByText(/^mv_/).first().innerText();
  await fresh.getByRole('button', { name: 'Copy', exact: true }).press('Enter');
  await page.waitForFunction(async (whole) => (await navigator.clipboard.readText()) === whole, key);
  await fresh.getByRole('button', { name: 'Copy curl' }).press('Enter');
  await page.waitForFunction(
    async (whole) => (await navigator.clipboard.readText()).includes(`X-API-Key: ${whole}"`),
    key,
  );
  await expectAccessible(page);
  await fresh.getByRole('button', { name: /^Close/ }).press('Enter');
  await fresh.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);

  const use = () =>
    fetch(`${serving.root}/api/v1/validation/single?email=a@python.org`, { headers: { 'x-api-key': key } });
  expect((await use()).status).toBe(200);
  expect((await use()).status).toBe(402);
  await page.reload();
  await page.getByText('no credits').waitFor();

  const choose = async (entry: string): Promise<void> => {
    await page.getByLabel(/^Change (signup|landing)/).press('Enter');
    await page.getByRole('button', { name: entry }).press('Enter');
    await focusInDialog();
  };
  await choose('Edit…');
  await keyboard.press('Control+A');
  await keyboard.type('landing page');
  await keyboard.press('Tab');
  await keyboard.press('Control+A');
  await keyboard.type('12000');
  await expectAccessible(page);
  await keyboard.press('Enter');
  await page.getByRole('cell', { name: 'landing page' }).waitFor();
  await page.getByRole('cell', { name: '12,000 of 12,001' }).waitFor();
  expect((await use()).status).toBe(200);
  await choose('Edit…');
  await page.getByLabel('Credits').fill('');
  await page.getByLabel('Valid until').fill('2099-12-31');
  await keyboard.press('Enter');
  await page.getByText('expires 2099-12-31').waitFor();
  await page.getByRole('cell', { name: 'no limit' }).waitFor();
  await choose('Revoke…');
  await expectAccessible(page);
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await focusOn('Change landing page');
  expect((await use()).status).toBe(200);
  await choose('Revoke…');
  await page.getByRole('button', { name: 'Revoke', exact: true }).press('Enter');
  await page.getByText('revoked', { exact: true }).waitFor();
  // A valid key is cached for less than a second.
  await expect.poll(async () => (await use()).status).toBe(401);
  await expectAccessible(page);
});

test('a checkbox makes a test key, whose example uses the sandbox', async () => {
  const { page } = await lab.signedIn(serving, '/keys');
  await press(page, 'New key');
  await page.getByLabel('Name').fill('ci');
  await page.getByLabel('Test key').check();
  await expectAccessible(page);
  await press(page, 'Create key');
  const fresh = page.getByRole('region', { name: 'The new key' });
  const key = await fresh
    .getByText(/^mv_test_/)
    .first()
    .innerText();
  await fresh.getByText(/curl .*sandbox\.mailvet\.test/).waitFor();
  const use = (email: string) =>
    fetch(`${serving.root}/api/v1/validation/single?email=${email}`, { headers: { 'x-api-key': key } });
  expect((await use('valid@sandbox.mailvet.test')).status).toBe(200);
  expect((await use('a@python.org')).status).toBe(403);
});

test('a key with too few credits is told so before a list starts, sees what a check left, and a revoked one is asked for another', async () => {
  const { page: admin } = await lab.signedIn(serving, '/keys');
  const key = await createKey(admin, { Name: 'few', Credits: '1' });
  const { page } = await lab.open(`${serving.root}/lists`);
  await signInByKey(page, key);
  await chooseList(page, 'two.csv', 'ada@python.org\nbob@python.org\n');
  await page.getByText('It costs 2 credits, but the balance is 1.').waitFor();

  const menu = page.getByLabel('few: settings and sign out');
  await menu.click();
  await page.getByText('1 credit left').waitFor();
  await menu.click();
  await page.getByRole('link', { name: 'Check', exact: true }).click();
  await page.getByLabel('Email address').fill('ada@python.org');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await menu.click();
  await page.getByText('0 credits left').waitFor();
  await menu.click();

  await admin.getByLabel('Change few').click();
  await press(admin, 'Revoke…');
  await press(admin, 'Revoke');
  await admin.getByRole('dialog').waitFor({ state: 'detached' });
  lab.allow(/401/);
  await page.getByRole('link', { name: 'Usage' }).click();
  const dialog = page.getByRole('dialog', { name: /^Your session has ended/ });
  await dialog.getByLabel('API key').waitFor();
});

test('the interface lists every request, with a curl line that runs', async () => {
  const { page, context } = await lab.signedIn(serving, '/keys');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const key = await createKey(page, { Name: 'reports' });
  await page.getByRole('link', { name: 'The requests they can make' }).click();
  await page.getByRole('heading', { name: 'Interface' }).waitFor();
  await expectAccessible(page);
  const env = { ...process.env, MAILVET_API_KEY: key };
  const run = async (path: string): Promise<string> => {
    await page.getByRole('row', { name: path }).first().getByRole('button', { name: 'curl' }).click();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    return execFileSync('sh', ['-c', `${line} -s`], { encoding: 'utf8', env, stdio: 'pipe' });
  };
  expect(await run('POST /api/v1/validation/single')).toContain('"status":"valid"');
  expect(await run('GET /api/v1/bulk/jobs')).toContain('"jobs":[]');
  expect(await run('GET /openapi.json')).toContain('ValidationResult');
});
