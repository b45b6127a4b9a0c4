import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { password, type Serving, serve } from './serve.js';

const lab = useBrowser();
let serving: Serving | null = null;
afterAll(() => serving?.stop());

const rows = 10_000;
const list = `name,email\n${Array.from({ length: rows }, (_, at) => `N${at},${at % 4 === 0 ? `not an address ${at}` : `p${at}@python.org`}`).join('\n')}\n`;

test('from an empty folder to a password, a key, a program that uses it, a list, and its clean rows', async () => {
  serving = await serve({ password: null });
  const { page } = await lab.open(serving.root);
  await page.getByRole('heading', { name: 'Set a password first' }).waitFor();
  await expectAccessible(page);

  const { page: late } = await lab.open(serving.setUpUrl ?? '');
  await late.getByLabel('Password', { exact: true }).fill('a password of another user');
  await page.goto(serving.setUpUrl ?? '');
  await page.reload();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat the password').fill('another one');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('alert').getByText('The passwords do not match.').waitFor();
  await page.getByLabel('Repeat the password').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Check an address' }).waitFor();
  expect(page.url()).toBe(`${serving.root}/`);
  await late.getByLabel('Repeat the password').fill('a password of another user');
  await late.getByRole('button', { name: 'Set password' }).click();
  await late.getByText('A password has already been set.').waitFor();
  lab.allow(/409/);
  await late.getByRole('button', { name: 'Sign in' }).click();
  await late.getByRole('heading', { name: 'Sign in' }).waitFor();

  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('There is no key yet.').waitFor();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('crm-import');
  await page.getByLabel('Credits').fill('5');
  await page.getByRole('button', { name: 'Create key' }).click();
  const fresh = page.getByRole('region', { name: 'The new key' });
  const key = await fresh.getByText(/^mv_/).first().innerText();
  const answer = await fetch(`${serving.root}/api/v1/validation/single?email=ada@python.org`, {
    headers: { 'X-API-Key': key },
  });
  expect(await answer.json()).toMatchObject({ email: 'ada@python.org', status: 'valid' });
  await page.reload();
  await page.getByRole('cell', { name: 'crm-import' }).waitFor();
  await page.getByRole('cell', { name: '4 of 5' }).waitFor();
  expect(await page.content()).not.toContain(key);

  await page.getByRole('link', { name: 'Lists' }).click();
  await page
    .getByLabel('Choose a list')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(list) });
  await page.getByText(/10,000 different addresses/).waitFor();
  await page.getByRole('button', { name: 'Check 10,000 addresses' }).click();
  await page.getByText('10,000 of 10,000 rows answered').waitFor();
  await page.getByText('completed').first().waitFor();
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download clean list' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('people.clean.csv');
  const saved = join(mkdtempSync(join(tmpdir(), 'mailvet-clean-')), 'clean.csv');
  await download.saveAs(saved);
  expect(readFileSync(saved, 'utf8').trimEnd().split('\n')).toHaveLength(1 + (rows * 3) / 4);

  await page.getByLabel(/settings and sign out/).click();
  await page.getByRole('link', { name: 'Account and sessions' }).click();
  await page.getByRole('button', { name: 'Change password…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the administrator password' });
  const next = 'another long password';
  await dialog.getByLabel('Current password').fill('not the password');
  await dialog.getByLabel('New password', { exact: true }).fill(next);
  await dialog.getByLabel('Repeat the new password').fill('something different');
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await dialog.getByText('The passwords do not match.').waitFor();
  await dialog.getByLabel('Repeat the new password').fill(next);
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await dialog.getByText('The current password is wrong.').waitFor();
  lab.allow(/422/);
  await expectAccessible(page);
  await dialog.getByLabel('Current password').fill(password);
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('dialog', { name: 'The password was changed' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('cell', { name: 'crm-import' }).waitFor();
});
