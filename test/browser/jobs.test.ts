import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DnsServer } from '../fakes/dns-server.js';
import { type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { startZone } from '../hostile/mail-zone.js';
import { expectAccessible, useBrowser } from './open-browser.js';
import { type Serving, serve } from './serve.js';

const lab = useBrowser();
let serving: Serving;
let host: SmtpHost;
let zone: DnsServer;
let isWell = false;
beforeAll(async () => {
  // Until the host is well, `slow` gets no answer and `ill` a temporary refusal.
  host = await startSmtpHost({
    rcpt: (address) => {
      if (!/slow|ill/.test(address)) return '550 5.1.1 No such user here';
      if (isWell) return '250 2.1.5 Ok';
      return address.includes('slow') ? null : '451 4.3.0 Local problem';
    },
  });
  const hosts = [{ name: 'mx.mailvet-lab.com', addresses: [host.ip] }];
  zone = await startZone([{ name: 'mailvet-lab.com', hosts }]);
  const network = [
    '--set',
    `resolvers=${zone.address}`,
    '--set',
    `smtp_port=${host.port}`,
    '--set',
    'allow_networks=127.0.0.0/8',
  ];
  const smtpFlags = ['--set', 'greylist_wait=0s', '--set', 'ehlo_name=probe.mailvet-lab.com'];
  serving = await serve({ args: ['--level', 'smtp', ...smtpFlags, ...network] });
});
afterAll(async () => {
  await serving?.stop();
  await zone?.close();
  await host?.stop();
});

test('a job can be canceled and resumed, and its unknown rows can be run again', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  const upload = async (name: string, mailbox: string): Promise<void> => {
    await page.getByRole('link', { name: 'Lists' }).click();
    const buffer = Buffer.from(`email\n${mailbox}@mailvet-lab.com\n`);
    await page.getByLabel('Choose a list').setInputFiles({ name, mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Check 1 address' }).click();
    await page.getByRole('heading', { name }).waitFor();
  };
  const progress = page.getByRole('region', { name: 'Progress' });

  await upload('slow.csv', 'slow');
  await progress.getByText('running').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await progress.getByText('canceled').waitFor();
  await expectAccessible(page);
  isWell = true;
  await page.getByRole('button', { name: 'Resume' }).click();
  await progress.getByText('completed').waitFor({ timeout: 45_000 });
  await progress.getByText(/^last run took/).waitFor();

  isWell = false;
  await upload('ill.csv', 'ill');
  await progress.getByText('completed').waitFor();
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('unknown').last().waitFor();
  isWell = true;
  await page.getByRole('button', { name: 'Check again…' }).click();
  await page.getByRole('button', { name: 'Check again', exact: true }).click();
  await page.getByText('What changed since last time').waitFor();
  await progress.getByText('completed').waitFor();
  expect(await progress.getByRole('img').getAttribute('aria-label')).toBe('1 valid, 0 risky, 0 invalid, 0 unknown');
});

test('an administrator sets how long lists are kept, and the pages say so', async () => {
  const { page } = await lab.signedIn(serving, '/settings/retention');
  await page.getByText('Lists are deleted 90 days after they end.').waitFor();
  await expectAccessible(page);
  await page.getByRole('spinbutton', { name: 'Days' }).fill('30');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Lists are deleted 30 days after they end.').waitFor();
  await page.getByRole('link', { name: 'Lists' }).click();
  await page.getByText('Lists are deleted 30 days after they end.').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Retention' }).click();
  await page.getByRole('spinbutton', { name: 'Days' }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Lists are kept until they are deleted.').waitFor();
  await expectAccessible(page);
});

test('a row without an address is not marked as unknown, and a short name stays on one line', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  const buffer = Buffer.from('email,note\nno@mailvet-lab.com,one\n,two\n');
  await page.getByLabel('Choose a list').setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Check 1 address' }).click();
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('The row has no address.').waitFor();
  expect(await rows.getByRole('row', { name: 'The row has no address.' }).innerText()).not.toContain('?');
  await page.getByRole('region', { name: 'Progress' }).getByText('completed').waitFor();
  await page.setViewportSize({ width: 768, height: 800 });
  // The age takes most room when it has two digits.
  await page.clock.setFixedTime(Date.now() + 59 * 60_000);
  await page.getByRole('link', { name: 'Lists' }).click();
  await page.getByText('59 min ago').first().waitFor();
  const name = page.getByRole('link', { name: 'customers.csv' });
  await name.waitFor();
  expect((await name.boundingBox())?.height).toBeLessThan(30);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(768);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${serving.root}/settings/audit`);
  await page.getByText('signed in').first().waitFor();
});
