import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser, useServing } from './open-browser.js';
import { serve } from './serve.js';
import { chooseList, dropLists, hold, open, press, setHidden } from './steps.js';

const lab = useBrowser();
const serving = useServing();

function csv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, at) => {
    const domain = at % 5 === 0 ? 'mailinator.com' : `d${at % 1_000}.org`;
    return `N${at},${at % 10 === 3 ? `not an address ${at}` : `p${at}@${domain}`},x`;
  });
  return `name,email,note\n${lines.join('\n')}\n`;
}

async function upload(page: Page, name: string, content: string): Promise<void> {
  await chooseList(page, name, content);
  await page.getByRole('region', { name: 'Preview' }).waitFor();
}

function checkedIn(page: Page): Promise<number> {
  return page.getByRole('region', { name: 'Preview' }).getByRole('checkbox', { checked: true }).count();
}

async function downloadBy(page: Page, name: string): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name, exact: true }).click(),
  ]);
  const stream = await download.createReadStream();
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return { name: download.suggestedFilename(), lines: Buffer.concat(pieces).toString().trimEnd().split('\n') };
}

test('100,000 rows: preview, another column, start, watch, filter, page, download, report, delete', async () => {
  const { page, context } = await lab.signedIn(serving, '/lists');
  await expectAccessible(page);
  await upload(page, 'big.csv', csv(100_000));
  const preview = page.getByRole('region', { name: 'Preview' });
  expect(await preview.getByRole('checkbox', { name: /email/ }).isChecked()).toBe(true);
  await preview.getByText('suggested').waitFor();
  await expectAccessible(page);
  await preview.getByRole('checkbox', { name: /email/ }).uncheck();
  await preview.getByRole('checkbox', { name: 'note' }).check();
  await preview.getByRole('alert').waitFor();
  lab.allow(/400.*email_column=note/);
  expect(await preview.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
  await preview.getByRole('checkbox', { name: 'note' }).uncheck();
  await preview.getByRole('checkbox', { name: /email/ }).check();
  await press(page, 'Check 100,000 addresses');
  await page.getByText('of 100,000 rows answered').waitFor();
  await expectAccessible(page);
  await page.getByText('100,000 of 100,000 rows answered').waitFor({ timeout: 50_000 });
  await page.getByText('completed').first().waitFor();

  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('p0@mailinator.com').waitFor();
  await rows.locator('label', { hasText: 'invalid' }).click();
  expect(await rows.getByLabel('invalid').isChecked()).toBe(true);
  await rows.getByText('not an address 3', { exact: true }).waitFor();
  await rows.getByText('p0@mailinator.com').waitFor({ state: 'detached' });
  await rows.getByRole('button', { name: 'Next' }).click();
  await rows.getByText('51–100').waitFor();
  await rows.getByLabel('Search rows').fill('address 99993');
  await rows.getByRole('button', { name: 'Filter' }).click();
  await rows.getByText('not an address 99993').waitFor();
  await expectAccessible(page);

  expect((await downloadBy(page, 'Clean as CSV')).name).toBe('big.clean.csv');
  expect((await downloadBy(page, 'Rejects as CSV')).lines[0]).toMatch(/^name,email/);
  const sheet = await downloadBy(page, 'Clean as Excel');
  expect([sheet.name, sheet.lines[0]?.slice(0, 2)]).toEqual(['big.clean.xlsx', 'PK']);
  expect((await downloadBy(page, 'Rejects as NDJSON')).lines).toHaveLength(10_000);
  expect((await downloadBy(page, 'All rows as CSV')).lines).toHaveLength(100_001);

  const [report] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Report' }).click(),
  ]);
  await report.getByRole('heading', { name: 'big.csv' }).waitFor();
  await report.getByLabel('Search').fill('address 13');
  await report.getByText(/\d+ found/).waitFor();
  await report.close();

  await press(page, 'Delete…');
  await page.getByRole('dialog', { name: 'Delete this list?' }).waitFor();
  await expectAccessible(page);
  await press(page, 'Keep');
  await press(page, 'Delete…');
  await press(page, 'Delete');
  await page.getByText('No list was uploaded yet.').waitFor();
}, 120_000);

test('a suggested column far to the right is visible and named', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  const wide = Array.from({ length: 40 }, (_, at) => `a long column name ${at}`);
  await upload(page, 'wide.csv', `${wide.join(',')},email\n${'x,'.repeat(40)}ada@python.org\n`);
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('column 41 of 41').waitFor();
  const box = await preview.getByRole('checkbox', { name: /^email/ }).boundingBox();
  expect(box?.x).toBeGreaterThan(0);
  expect(box?.x).toBeLessThan(1180);
  await expectAccessible(page);
});

test('counts have labels and agree with the downloads; filter, search and page survive a reload', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  const many = Array.from({ length: 120 }, (_, index) => `p${index % 100}@python.org,note ${index}`).join('\n');
  await upload(page, 'twice.csv', `email,note\n${many}\n,nothing\nbad,last\n`);
  await press(page, 'Check 101 addresses');
  await page.getByText('122 of 122 rows answered').waitFor();
  await page
    .getByText('Counted here: 101 different addresses; 20 rows repeat an address; 1 row has no address.')
    .waitFor();
  const clean = page.getByRole('row', { name: /^Clean/ });
  await clean.getByRole('cell', { name: '120', exact: true }).waitFor();
  await page.getByLabel('Remove duplicates (20 rows)').check();
  await clean.getByRole('cell', { name: '100', exact: true }).waitFor();
  expect((await downloadBy(page, 'Clean as CSV')).lines).toHaveLength(101);
  expect((await downloadBy(page, 'All rows as CSV')).lines).toHaveLength(103);
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows
    .locator('label', { hasText: /^✔?\s*valid$/ })
    .first()
    .click();
  await rows.getByText('all columns').click();
  await rows.getByRole('button', { name: 'Next' }).click();
  await rows.getByText('51–100').waitFor();
  await rows.getByText('note 70', { exact: true }).waitFor();
  await expectAccessible(page);
  await page.reload();
  await rows.getByText('51–100').waitFor();
  await rows.getByText('note 70', { exact: true }).waitFor();
  await rows.getByLabel('Search rows').fill('p99@');
  await rows.getByRole('button', { name: 'Filter' }).click();
  await rows.getByText('note 99', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('search')).toBe('p99@');
  await page.goBack();
  await rows.getByText('51–100').waitFor();
});

test('pasted addresses are vetted; the title shows the progress; the end is announced, even on a hidden page', async () => {
  const { page, context } = await lab.signedIn(serving, '/lists');
  await page.getByText('and 1,000,000 rows').waitFor();
  await context.grantPermissions(['notifications'], { origin: serving.root });
  await page.evaluate(() => {
    const shown: string[] = [];
    class Recorder {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      constructor(title: string) {
        shown.push(title);
      }
    }
    Object.assign(globalThis, { Notification: Recorder, shown });
  });
  await page.getByText('Paste addresses instead').click();
  await page.getByLabel('One address per line').fill('ada@python.org\nbob@python.org\n');
  await expectAccessible(page);
  await press(page, 'Use these');
  await page.getByRole('heading', { name: 'pasted.txt' }).waitFor();
  await page.getByRole('button', { name: 'Check 2 addresses' }).waitFor();
  await press(page, 'Choose another file');
  const addresses = Array.from({ length: 60_000 }, (_, at) => `p${at}@d${at % 500}.org`);
  await upload(page, 'long.txt', addresses.join('\n'));
  await press(page, 'Check 60,000 addresses');
  await press(page, 'Notify me when done');
  expect(await page.title()).toMatch(/^\d+% · long\.txt · mailvet$/);
  await page.getByText('You will be notified.').waitFor();
  await setHidden(page, true);
  const end = 'long.txt is done: 60,000 rows, 60,000 valid';
  await expect
    .poll(() => page.evaluate(() => (globalThis as never as { shown: string[] }).shown), { timeout: 30_000 })
    .toEqual([end]);
  expect(await page.locator('p.visually-hidden[role=status]').innerText()).toBe(end);
  expect(await page.title()).toBe('long.txt · mailvet');
}, 60_000);

test('of two columns of one name the page says which is used, and which rows were forgotten since', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  await upload(page, 'twins.csv', 'email,name,email\na@twins.org,A,b@twins.org\nc@twins.org,C,d@twins.org\n');
  await page.getByRole('checkbox', { name: 'email (column 1)' }).uncheck();
  await page.getByRole('checkbox', { name: 'email (column 3)' }).check();
  expect(await checkedIn(page)).toBe(1);
  await page.getByText('Addresses in email, column 3 of 3.').waitFor();
  await press(page, 'Check 2 addresses');
  await page.getByText('2 rows · addresses in “email” (column 3)').waitFor();
  await page.getByText('2 of 2 rows answered').waitFor();
  await page.getByRole('region', { name: 'Rows' }).getByText('b@twins.org').waitFor();
  const all = page.getByRole('row', { name: /^All rows/ });
  await all.getByRole('cell', { name: '2', exact: true }).waitFor();
  const answer = await page.request.post(`${serving.root}/app/forget`, {
    data: { email: 'd@twins.org' },
    headers: { origin: serving.root },
  });
  expect(answer.status()).toBe(200);
  await page.reload();
  await page.getByText('1 row was deleted with “Forget an address”').waitFor();
  await all.getByRole('cell', { name: '1', exact: true }).waitFor();
  await expectAccessible(page);
  await press(page, 'Delete…');
  await press(page, 'Delete');
  await page.getByRole('heading', { name: 'Lists', exact: true }).waitFor();
});

test('several columns chosen are several verdicts of each row', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  await upload(page, 'pairs.csv', 'work,private\na@pairs.org,x@mailinator.com\nb@pairs.org,\n');
  const preview = page.getByRole('region', { name: 'Preview' });
  for (const name of [/^work/, /^private/]) await preview.getByRole('checkbox', { name }).check();
  await page.getByText('Addresses in work, private, columns 1, 2 of 2.').waitFor();
  await page.getByText('3 different addresses; 1 cell has no address.').waitFor();
  await press(page, 'Check 3 addresses');
  await page.getByText('4 of 4 cells answered').waitFor();
  const { lines } = await downloadBy(page, 'All rows as CSV');
  expect(lines[0]).toMatch(/work.*status.*private.*status/);
  expect(lines).toHaveLength(3);
});

test('an estimated number of rows is replaced by the counted one', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  const answerPlan = await hold(page, '**/plan?*');
  await page.route('**/bulk/upload/preview', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...(await response.json()), row_count: 17, row_count_exact: false } });
  });
  await upload(page, 'long.csv', csv(12));
  await page.getByText('about 17 rows').waitFor();
  answerPlan();
  await page.getByText('· 12 rows').waitFor();
});

test('a file that cannot be read, and one without addresses, are reported next to the button', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  lab.allow(/4\d\d/);
  await chooseList(page, 'empty.csv', '');
  await page.getByRole('alert').waitFor();
  await expectAccessible(page);
  expect(await page.getByRole('button', { name: 'Upload again' }).count()).toBe(0);
  await upload(page, 'few.csv', 'a,b\n1,x@python.org\n');
  await page.getByRole('checkbox', { name: /^b/ }).uncheck();
  await page.getByRole('checkbox', { name: 'a', exact: true }).check();
  await page.getByRole('alert').waitFor();
  await press(page, 'Choose another file');
  await page.getByText('or drop it here').waitFor();
  await upload(page, 'people.csv', 'name,city\nAda,London\nBob,Paris\n');
  await page.getByText('No column looks like email addresses.').waitFor();
  expect(await checkedIn(page)).toBe(0);
  expect(await page.getByText('suggested').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: 'city' }).check();
  expect(await page.getByRole('button', { name: 'Check 2 addresses' }).isEnabled()).toBe(true);
});

test('a file that is too large, compressed or not, is refused with the limit, and the next one is accepted', async () => {
  const small = await serve({ args: ['--level', 'syntax', '--set', 'serve.max_file_size=1'] });
  try {
    const { page } = await lab.signedIn(small, '/lists');
    lab.allow(/413/);
    await page.getByText('up to 1 MB').waitFor();
    await chooseList(page, 'large.csv', csv(50_000));
    await page.getByText('large.csv is larger than 1 MB, the limit of this server.').waitFor();
    await expectAccessible(page);
    await chooseList(page, 'packed.csv.gz', gzipSync(csv(50_000)));
    await page.getByText(/holds more than 1 MB, decompressed/).waitFor();
    await upload(page, 'few.csv', csv(3));
  } finally {
    await small.stop();
  }
});

test('a file can be dropped, but not two at once, and lists are found by name, even after "back"', async () => {
  const { page } = await lab.signedIn(serving, '/lists');
  const names = ['spring.csv', 'autumn.csv'];
  const list = 'email\na@python.org\nb@python.org\n';
  await dropLists(page, names, list);
  await page.getByText('Nothing was uploaded: drop one list at a time.').waitFor();
  for (const name of names) {
    await dropLists(page, [name], list);
    await press(page, 'Check 2 addresses');
    await page.getByText('2 of 2 rows answered').waitFor();
    await page.getByText('For 2 addresses the mailbox was not checked.').waitFor();
    await open(page, 'Lists');
    await page.getByText('or drop it here').waitFor();
  }
  await page.getByRole('link', { name: 'spring.csv' }).waitFor();
  await page.getByLabel('Part of a file name').fill('aut');
  await press(page, 'Search');
  await page.getByRole('link', { name: 'spring.csv' }).waitFor({ state: 'detached' });
  await open(page, 'autumn.csv');
  await page.getByRole('heading', { name: 'autumn.csv' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'autumn.csv' }).waitFor();
  expect(await page.getByRole('link', { name: 'spring.csv' }).count()).toBe(0);
  await page.goBack();
  await page.getByRole('link', { name: 'spring.csv' }).waitFor();
  await page.getByLabel('Part of a file name').fill('nothing like that');
  await page.keyboard.press('Enter');
  await page.getByText('No file name contains').waitFor();
  await expectAccessible(page);
  await open(page, 'Show all lists');
  await page.getByLabel('State').selectOption('failed');
  await page.getByText('No lists match these filters.').waitFor();
  await page.getByLabel('State').selectOption('completed');
  await page.getByLabel('Rows per page').selectOption('50');
  await page.getByLabel('Select spring.csv').check();
  await page.getByLabel('Select autumn.csv').check();
  await press(page, 'Delete 2 lists…');
  await expectAccessible(page);
  await press(page, 'Keep');
  await page.getByLabel('Select autumn.csv').uncheck();
  await press(page, 'Delete 1 list…');
  await press(page, 'Delete');
  await page.getByRole('link', { name: 'spring.csv' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'autumn.csv' }).waitFor();
  expect(new URL(page.url()).search).toBe('?status=completed&limit=50');
  await open(page, 'Settings');
  await open(page, 'Forget an address');
  await page.getByLabel('Address', { exact: true }).fill('a@python.org');
  await expectAccessible(page);
  await press(page, 'Delete everywhere…');
  await press(page, 'Delete everywhere');
  await page.getByText(/Deleted: \d+ rows? in \d+ lists?/).waitFor();
});
