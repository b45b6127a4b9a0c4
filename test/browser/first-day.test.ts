import { afterAll, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { password, type Serving, serve } from './serve.js';
import { createKey, open, press } from './steps.js';

const lab = useBrowser();
let serving: Serving | null = null;
afterAll(() => serving?.stop());

test('from an empty folder to a password, once, a key that a program uses, and another password', async () => {
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
  await press(page, 'Set password');
  await page.getByRole('alert').getByText('The passwords do not match.').waitFor();
  await page.getByLabel('Repeat the password').fill(password);
  await press(page, 'Set password');
  await page.getByRole('heading', { name: 'Check an address' }).waitFor();
  expect(page.url()).toBe(`${serving.root}/`);
  await late.getByLabel('Repeat the password').fill('a password of another user');
  await press(late, 'Set password');
  await late.getByText('A password has already been set.').waitFor();
  lab.allow(/409/);
  await press(late, 'Sign in');
  await late.getByRole('heading', { name: 'Sign in' }).waitFor();

  await open(page, 'API keys');
  await page.getByText('There is no key yet.').waitFor();
  const key = await createKey(page, { Name: 'crm-import', Credits: '5' });
  const url = `${serving.root}/api/v1/validation/single?email=ada@python.org`;
  const answer = await fetch(url, { headers: { 'X-API-Key': key } });
  expect(await answer.json()).toMatchObject({ email: 'ada@python.org', status: 'valid' });
  await page.reload();
  await page.getByRole('cell', { name: '4 of 5' }).waitFor();
  expect(await page.content()).not.toContain(key);

  await page.getByLabel(/settings and sign out/).click();
  await open(page, 'Account and sessions');
  await press(page, 'Change password…');
  const dialog = page.getByRole('dialog', { name: 'Change the administrator password' });
  const next = 'another long password';
  await dialog.getByLabel('Current password').fill('not the password');
  await dialog.getByLabel('New password', { exact: true }).fill(next);
  await dialog.getByLabel('Repeat the new password').fill(next);
  await press(page, 'Change password');
  await dialog.getByText('The current password is wrong.').waitFor();
  lab.allow(/422/);
  await expectAccessible(page);
  await dialog.getByLabel('Current password').fill(password);
  await press(page, 'Change password');
  await page.getByRole('dialog', { name: 'The password was changed' }).waitFor();
  await press(page, 'Close');
  await open(page, 'API keys');
  await page.getByRole('cell', { name: 'crm-import' }).waitFor();
});
