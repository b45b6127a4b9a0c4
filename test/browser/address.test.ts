import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { addressCases } from '../runtimes/address-cases.js';
import { useBrowser } from './open-browser.js';

const lab = useBrowser();

const html = `<!doctype html><title>address</title><link rel="icon" href="data:,"><pre></pre><script type="module">
import * as address from './address.js';
import { runCases } from './run-cases.mjs';
const cases = await (await fetch('cases.json')).json();
document.querySelector('pre').textContent = JSON.stringify(await runCases(address, cases));
</script>`;

test('mailvet/address answers in Chromium as on Node', async () => {
  const { page } = await lab.open('about:blank');
  const cases = JSON.stringify(await addressCases());
  await page.route('http://address.test/**', (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    if (name === '') return route.fulfill({ contentType: 'text/html', body: html });
    if (name === 'cases.json') return route.fulfill({ contentType: 'application/json', body: cases });
    const folder = name === 'run-cases.mjs' ? 'test/runtimes' : 'dist';
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(resolve(folder, name), 'utf8') });
  });
  await page.goto('http://address.test/');
  const differences = page.locator('pre', { hasText: /./ });
  await differences.waitFor();
  expect(JSON.parse(await differences.innerText())).toEqual([]);
});
