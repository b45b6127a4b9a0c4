import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser, useServing } from './open-browser.js';
import { chooseList, createKey } from './steps.js';

const lab = useBrowser();
const serving = useServing();

const evil = '<script>alert(1)</script><img src=x onerror=alert(2)>';
const reversed = '\u202Egnp.exe\u2066';

/** No part of it became an element, and no character reverses the text. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.locator('main img, main script, dialog img, dialog script').count()).toBe(0);
  expect(await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText))).toBe(false);
  await expectAccessible(page);
}

test('markup and direction marks stay text in names of files, columns, cells and keys', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  page.on('dialog', () => expect.unreachable('a script ran'));
  const csv = `${evil},${reversed} email\n${evil}${reversed},"${reversed}@python.org"\n${evil},<b>@python.org\n`;
  await chooseList(page, `${evil.replaceAll('/', '∕')}${reversed}.csv`, csv);
  await page.getByRole('button', { name: /^Check 2 addresses/ }).waitFor();
  await expectHarmless(page);
  await page.getByRole('button', { name: /^Check 2 addresses/ }).click();
  await page.getByText('2 of 2 rows answered').waitFor();
  await page.getByRole('region', { name: 'Rows' }).getByText('@python.org').first().waitFor();
  await expectHarmless(page);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await expectHarmless(page);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Lists' }).click();
  await page.getByRole('link', { name: /alert/ }).waitFor();
  await expectHarmless(page);

  await page.getByRole('link', { name: 'API keys' }).click();
  await createKey(page, { Name: evil });
  await expectHarmless(page);
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await expectHarmless(page);

  await page.getByRole('link', { name: 'Check' }).click();
  await page.getByRole('textbox', { name: 'Email address' }).fill(`${evil}${reversed}@python.org`);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Result' }).waitFor();
  await expectHarmless(page);
});
