import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workbookBytes } from '../../src/rows/write/write-workbook.js';
import { expectAccessible, useBrowser, useServing } from './open-browser.js';
import { acceptInvitation, chooseList, createKey, invite } from './steps.js';

const lab = useBrowser();
const serving = useServing();

/** An Excel list of a hundred rows, a fifth of which are no addresses. */
async function workbook(): Promise<Buffer> {
  const rows = Array.from({ length: 100 }, (_, at) => [`N${at}`, at % 5 === 0 ? `nobody ${at}` : `p${at}@python.org`]);
  const pieces: Uint8Array[] = [];
  for await (const piece of workbookBytes([['name', 'email']], [rows])) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('the first quarter of an hour of a member: invitation, Excel list, clean rows, check again, a key and its curl', async () => {
  const { page: admin } = await lab.signedIn(serving, '/settings/members');
  const { page } = await lab.open(await invite(admin, 'Ada', 'ada@python.org'));
  await acceptInvitation(page, 'the password of Ada');
  await page.getByRole('heading', { name: 'Check an address' }).waitFor();

  await page.getByRole('link', { name: 'Lists' }).click();
  await chooseList(page, 'customers.xlsx', await workbook());
  await page.getByText(/100 different addresses/).waitFor();
  await page.getByRole('button', { name: 'Check 100 addresses' }).click();
  await page.getByText('100 of 100 rows answered').waitFor();
  await page.getByText('What to do next').waitFor();
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download clean list' }).click(),
  ]);
  const saved = join(mkdtempSync(join(tmpdir(), 'mailvet-clean-')), 'clean.csv');
  await download.saveAs(saved);
  expect(readFileSync(saved, 'utf8').trimEnd().split('\n')).toHaveLength(1 + 80);

  await page.getByText('Choose rows and columns').click();
  await page.getByLabel('Reason').selectOption({ index: 1 });
  await page.getByRole('row', { name: /^Chosen/ }).waitFor();
  await page.getByLabel('name', { exact: true }).uncheck();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Check again…' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Check again', exact: true }).click();
  await page.getByText('What changed since last time').waitFor();
  await page.getByText('Nothing: 100 addresses have the same verdict.').waitFor();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'API keys' }).click();
  const key = await createKey(page, { Name: 'from Ada' });
  const curl = (await page.getByText(/^curl /).innerText()).replace(/mv_[\w-]+…/, key);
  expect(execFileSync('sh', ['-c', `${curl} -s`], { encoding: 'utf8' })).toContain('"email":"ada@python.org"');
});
