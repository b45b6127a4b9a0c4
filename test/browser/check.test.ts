import { describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { hold, press, signInByKey, useMailServing } from './steps.js';

const lab = useBrowser();
const serving = useMailServing(['gmial.com', 'gmail.com', 'mailvet-lab.com'], (address) =>
  /(li\.wei|jane)@|@gmial/.test(address) ? '250 2.1.5 Ok' : '550 5.1.1 No such user here',
);

describe('the Check page', () => {
  test('shows the verdict and the evidence, checks the suggestion with one click, and returns with "back"', async () => {
    const { page } = await lab.signedIn(serving);
    await expectAccessible(page);
    const field = page.getByRole('textbox', { name: 'Email address' });
    await field.fill('li.wei@gmial.com');
    await page.keyboard.press('Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('risky').waitFor();
    await result.getByText('accepts everything (250)').waitFor();
    const evidence = page.getByRole('region', { name: 'How we know' });
    await evidence.getByText('How we know').click();
    await evidence.getByText('RCPT TO:<li.wei@gmial.com>').waitFor();
    await evidence.getByText('mx.mailvet-lab.com', { exact: false }).first().waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Try li.wei@gmail.com' }).click();
    await result.getByRole('heading', { name: 'li.wei@gmail.com' }).waitFor();
    expect(page.url()).toBe(`${serving.root}/`);
    await page.goBack();
    await result.getByRole('heading', { name: 'li.wei@gmial.com' }).waitFor();
    expect(await field.inputValue()).toBe('li.wei@gmial.com');
  });

  test('"back" shows an earlier answer to a key, although its credits have changed since', async () => {
    const { page: admin } = await lab.signedIn(serving);
    const headers = { origin: serving.root };
    const made = await admin.request.post(`${serving.root}/app/keys`, { data: { name: 'k', credits: 5 }, headers });
    const { key } = (await made.json()) as { key: string };
    const { page } = await lab.open('about:blank');
    await page.clock.install();
    await page.goto(serving.root);
    await signInByKey(page, key);
    const result = page.getByRole('region', { name: 'Result' });
    for (const email of ['jane@mailvet-lab.com', 'nobody@mailvet-lab.com']) {
      await page.getByRole('textbox', { name: 'Email address' }).fill(email);
      await page.keyboard.press('Enter');
      await result.getByRole('heading', { name: email }).waitFor();
    }
    const refreshed = page.waitForResponse('**/app/session');
    await page.clock.fastForward(61_000);
    await refreshed;
    await page.getByLabel(/settings and sign out/).click();
    await page.getByText('3 credits left').waitFor();
    await page.goBack();
    await result.getByRole('heading', { name: 'jane@mailvet-lab.com' }).waitFor();
  });

  test('copies the answer as JSON, as curl and as a command', async () => {
    const { page, context } = await lab.signedIn(serving);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('textbox', { name: 'Email address' }).fill("o'hara@mailvet-lab.com");
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('region', { name: 'Result' }).waitFor();
    const copied = async (name: string): Promise<string> => {
      await page.getByRole('button', { name }).click();
      await page.getByRole('status').getByText('Copied').first().waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    expect(JSON.parse(await copied('Copy JSON'))).toMatchObject({ email: "o'hara@mailvet-lab.com", status: 'invalid' });
    expect(await copied('curl')).toBe(
      `curl -H "X-API-Key: $MAILVET_API_KEY" '${serving.root}/api/v1/validation/single?email=o'\\''hara%40mailvet-lab.com'`,
    );
    expect(await copied('CLI')).toBe("mailvet validate --explain 'o'\\''hara@mailvet-lab.com'");
  });

  test('works with the keyboard only: / focuses the field on every page, Enter checks, Tab reaches the result', async () => {
    const { page } = await lab.signedIn(serving, '/lists');
    await page.getByRole('heading', { name: 'Lists', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('heading', { name: 'Check an address' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.id === 'check-field');
    await page.keyboard.type('li.wei@gmial.com');
    await page.keyboard.press('Enter');
    const suggestion = page.getByRole('button', { name: 'Try li.wei@gmail.com' });
    await suggestion.waitFor();
    for (let tabs = 0; tabs < 5 && !(await suggestion.evaluate((it) => it === document.activeElement)); tabs++) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'li.wei@gmail.com' }).waitFor();
  });

  test('a slow check shows its progress, and can be canceled', async () => {
    const { page } = await lab.signedIn(serving);
    const letGo = await hold(page, '**/app/check');
    await page.getByRole('textbox', { name: 'Email address' }).fill('jane@mailvet-lab.com');
    await page.keyboard.press('Enter');
    await page.getByText('Checking jane@mailvet-lab.com…').waitFor();
    await page.getByText('2 s').waitFor();
    await expectAccessible(page);
    await press(page, 'Stop');
    await page.getByText('Type an address and press Enter.').waitFor();
    letGo();
  });
});
