import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible, signIn, useBrowser, useServing } from './open-browser.js';
import { password } from './serve.js';
import { hold, setHidden } from './steps.js';

const lab = useBrowser();
const serving = useServing();

const ended = (page: Page) => page.getByRole('dialog', { name: /Your session has ended/ });

describe('a session that ends while a page is open', () => {
  test('keeps what was typed, asks to sign in, and continues', async () => {
    const { page, context } = await lab.signedIn(serving, '/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('half typed');
    await context.clearCookies();
    lab.allow(/401/);
    await page.getByRole('button', { name: 'Create key' }).click();
    await ended(page).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await ended(page).getByLabel('Administrator password').fill('wrong, and long enough');
    await ended(page).getByRole('button', { name: 'Sign in' }).click();
    await ended(page).getByRole('alert').waitFor();
    await ended(page).getByLabel('Administrator password').fill(password);
    await ended(page).getByRole('button', { name: 'Sign in' }).click();
    await ended(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('half typed');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('region', { name: 'The new key' }).waitFor();
  });

  test('signing out in one of two tabs clears the other, and signing in there is enough for both', async () => {
    const { page, context } = await lab.signedIn(serving);
    const other = await context.newPage();
    await other.goto(serving.root);
    await other.getByRole('textbox', { name: 'Email address' }).fill('typed@python.org');
    await page.getByLabel(/settings and sign out/).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await other.getByText('typed@python.org').count()).toBe(0);
    expect(await other.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await signIn(page);
    await other.getByRole('textbox', { name: 'Email address' }).waitFor();
    expect(await other.getByRole('textbox', { name: 'Email address' }).inputValue()).toBe('');
  });
});

test('a lost server is reported once, the page keeps its content, and continues when the server is back', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  await page.getByText('No list was uploaded yet.').waitFor();
  lab.allow(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET/);
  await serving.stop();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('The server does not respond. Retrying…').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Check' }).click();
  await page.getByRole('textbox', { name: 'Email address' }).fill('ada@python.org');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('The server does not respond.').waitFor();
  await page.getByRole('link', { name: 'API keys' }).click();
  Object.assign(serving, await serving.again());
  await page.getByRole('cell', { name: 'half typed' }).waitFor({ timeout: 40_000 });
  expect(await page.getByText('The server does not respond. Retrying…').count()).toBe(0);
});

test('while a server is slow, a placeholder has the size of the answer', async () => {
  const { page } = await lab.signedIn(serving);
  const letGo = await hold(page, '**/app/usage*');
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText('Loading…').waitFor();
  await expectAccessible(page);
  letGo();
  await page.getByText('Loading…').waitFor({ state: 'detached' });
  await page.getByText(/Nothing was checked in these|Addresses a day/).waitFor();
});

test('a hidden tab sends no requests', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  await page.getByText('No list was uploaded yet.').waitFor();
  const asked: string[] = [];
  await page.clock.install();
  await page.reload();
  await page.getByText('No list was uploaded yet.').waitFor();
  await page.waitForLoadState('networkidle');
  page.on('request', (request) => asked.push(request.url()));
  await setHidden(page, true);
  await page.clock.runFor(120_000);
  expect(asked).toEqual([]);
  await setHidden(page, false);
  await page.waitForResponse('**/app/jobs*');
});
