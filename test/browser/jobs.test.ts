import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { chooseList, open, press, useMailServing } from './steps.js';

const lab = useBrowser();
let isWell = false;
// Until the host is well, `slow` gets no answer and `ill` a temporary refusal.
const serving = useMailServing(['mailvet-lab.com'], (address) => {
  if (!/slow|ill/.test(address)) return '550 5.1.1 No such user here';
  if (isWell) return '250 2.1.5 Ok';
  return address.includes('slow') ? null : '451 4.3.0 Local problem';
});

test('a job can be canceled and resumed, and its unknown rows can be run again', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  const upload = async (name: string, mailbox: string): Promise<void> => {
    await open(page, 'Lists');
    await chooseList(page, name, `email\n${mailbox}@mailvet-lab.com\n`);
    await press(page, 'Check 1 address');
    await page.getByRole('heading', { name }).waitFor();
  };
  const progress = page.getByRole('region', { name: 'Progress' });

  await upload('slow.csv', 'slow');
  await progress.getByText('running').waitFor();
  await press(page, 'Cancel');
  await progress.getByText('canceled').waitFor();
  await expectAccessible(page);
  isWell = true;
  await press(page, 'Resume');
  await progress.getByText('completed').waitFor({ timeout: 45_000 });
  await progress.getByText(/^last run took/).waitFor();

  isWell = false;
  await upload('ill.csv', 'ill');
  await progress.getByText('completed').waitFor();
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('unknown').last().waitFor();
  isWell = true;
  await press(page, 'Check again…');
  await press(page, 'Check again');
  await page.getByText('What changed since last time').waitFor();
  await progress.getByText('completed').waitFor();
  expect(await progress.getByRole('img').getAttribute('aria-label')).toBe('1 valid, 0 risky, 0 invalid, 0 unknown');
});

test('an administrator sets how long lists are kept, and the pages say so', async () => {
  const { page } = await lab.signedIn(serving, '/settings/retention');
  await page.getByText('Lists are deleted 90 days after they end.').waitFor();
  await expectAccessible(page);
  await page.getByRole('spinbutton', { name: 'Days' }).fill('30');
  await press(page, 'Save');
  await page.getByText('Lists are deleted 30 days after they end.').waitFor();
  await open(page, 'Lists');
  await page.getByText('Lists are deleted 30 days after they end.').waitFor();
  await open(page, 'Settings');
  await open(page, 'Retention');
  await page.getByRole('spinbutton', { name: 'Days' }).fill('');
  await press(page, 'Save');
  await page.getByText('Lists are kept until they are deleted.').waitFor();
  await expectAccessible(page);
});

test('a row without an address is not marked as unknown, and a short name stays on one line', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  await chooseList(page, 'customers.csv', 'email,note\nno@mailvet-lab.com,one\n,two\n');
  await press(page, 'Check 1 address');
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('The row has no address.').waitFor();
  expect(await rows.getByRole('row', { name: 'The row has no address.' }).innerText()).not.toContain('?');
  await page.getByRole('region', { name: 'Progress' }).getByText('completed').waitFor();
  await page.setViewportSize({ width: 768, height: 800 });
  // The age takes most room when it has two digits.
  await page.clock.setFixedTime(Date.now() + 59 * 60_000);
  await open(page, 'Lists');
  await page.getByText('59 min ago').first().waitFor();
  const name = page.getByRole('link', { name: 'customers.csv' });
  await name.waitFor();
  expect((await name.boundingBox())?.height).toBeLessThan(30);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(768);
});
