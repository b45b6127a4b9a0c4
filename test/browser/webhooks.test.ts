import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { serve } from './serve.js';
import { chooseList } from './steps.js';

const lab = useBrowser();

test('a webhook is added, shows how its last delivery went, and is deleted', async () => {
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    request.on('data', (piece) => bodies.push(String(piece)));
    request.on('end', () => response.writeHead(bodies.length === 1 ? 410 : 200).end());
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const serving = await serve({ args: ['--level', 'syntax', '--set', 'serve.webhook_networks=127.0.0.0/8'] });
  try {
    const { page } = await lab.signedIn(serving, '/settings/webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill('not an address');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('This is not a valid webhook URL.').waitFor();
    lab.allow(/422/);
    await expectAccessible(page);
    await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const shown = page.getByRole('region', { name: 'The secret' });
    const secret = await shown.getByText(/^whsec_/).innerText();
    await shown.getByText('/hook').waitFor();
    await expectAccessible(page);
    await page.goto(`${serving.root}/lists`);
    await chooseList(page, 'list.csv', 'ada@python.org\n');
    await page.getByRole('button', { name: 'Check 1 address' }).click();
    await page.getByRole('region', { name: 'Progress' }).getByText('completed').waitFor();
    await page.goto(`${serving.root}/settings/webhooks`);
    await page.getByText('HTTP 410').waitFor();
    await expectAccessible(page);
    expect(bodies.map((body) => JSON.parse(body).type)).toEqual(['job.completed']);
    expect(await page.content()).not.toContain(secret);
    await page.getByLabel(/^Change http/).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There is no webhook yet.').waitFor();
  } finally {
    await serving.stop();
    receiver.close();
  }
});
