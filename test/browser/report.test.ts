import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { runBinary } from '../e2e/run-binary.js';
import { expectAccessible, useBrowser } from './open-browser.js';

const lab = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'mailvet-report-'));
const pathOf = (name: string): string => join(folder, name);

async function makeReport(name: string, rows: number): Promise<void> {
  const row = (nth: number): string => `N${nth},${nth % 2 === 0 ? `<b>bad ${nth}` : `p${nth}@d${nth % 500}.org`}`;
  writeFileSync(
    pathOf(`${name}.csv`),
    `name,email\n${Array.from({ length: rows }, (_, nth) => row(nth)).join('\n')}\n`,
  );
  const output = pathOf(`${name}-vetted.csv`);
  for (const words of [
    ['bulk', pathOf(`${name}.csv`), '--level', 'syntax', '-o', output],
    ['report', output, '-o', pathOf(`${name}.html`)],
  ])
    expect(await runBinary(words)).toMatchObject({ status: 0 });
}

beforeAll(async () => {
  await makeReport('large', 100_000);
  await makeReport('small', 250);
});

test('a report of 100,000 rows is below 3 MB and searchable, and sends no request', async () => {
  expect(statSync(pathOf('large.html')).size).toBeLessThan(3_000_000);
  const { page, context } = await lab.open('about:blank');
  const requests: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  const { href } = pathToFileURL(pathOf('large.html'));
  await page.goto(href);
  await page.getByRole('heading', { name: 'large-vetted.csv' }).waitFor();
  await page.getByText('of which the first 5,000 are here').waitFor();
  await page.getByLabel('Search').fill('bad 704');
  await page.getByText('6 found').waitFor();
  await page.getByLabel('Status').selectOption('unknown');
  await page.getByText('0 found').waitFor();
  expect(requests).toEqual([href]);
});

test.each([
  { width: 1180, colorScheme: 'light' },
  { width: 1180, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
] as const)('at $width px, $colorScheme, axe-core finds no violation', async (look) => {
  const { width, colorScheme } = look;
  const { page } = await lab.open(pathToFileURL(pathOf('small.html')).href, {
    viewport: { width, height: 800 },
    colorScheme,
  });
  await expectAccessible(page);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  await page.getByRole('button', { name: 'Switch theme' }).click();
  expect(await background()).not.toBe(before);
});

test('the printed page has a white background, black text, no search, and the first 100 rows', async () => {
  const { page } = await lab.open(pathToFileURL(pathOf('small.html')).href, { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByLabel('Search').isVisible()).toBe(false);
  expect(await page.locator('#rows tbody tr:visible').count()).toBe(100);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(0, 0, 0)');
  expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
});
