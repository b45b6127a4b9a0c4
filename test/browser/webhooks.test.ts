import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';
import { serve } from './serve.js';

const lab = useBrowser();

test('a webhook is added, tested, seen in the log, sent again and deleted', async () => {
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    request.on('data', (piece) => bodies.push(String(piece)));
    request.on('end', () => response.writeHead(bodies.length === 1 ? 410 : 200).end());
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const serving = await serve({ args: ['--level', 'syntax', '--webhook-network', '127.0.0.0/8'] });
  try {
    const { page } = await lab.signedIn(serving, '/webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill('not an address');
    await page.getByLabel('A key expires within a week').check();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('This is not a valid webhook URL.').waitFor();
    lab.allow(/422/);
    await expectAccessible(page);
    await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const secret = await page
      .getByRole('region', { name: 'The secret' })
      .getByText(/^whsec_/)
      .innerText();
    await page.getByRole('region', { name: 'The secret' }).getByText('/hook').waitFor();
    await expectAccessible(page);
    await page.getByLabel(/^Change http/).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    const log = page.getByRole('region', { name: 'Deliveries' });
    await log.getByText('/hook').waitFor();
    await log.getByText('failed').waitFor();
    await log.getByText('HTTP 410').waitFor();
    await expectAccessible(page);
    await log.getByRole('button', { name: 'Send again: webhook.test' }).click();
    await log.getByText('delivered').waitFor();
    expect(bodies.map((body) => JSON.parse(body).type)).toEqual(['webhook.test', 'webhook.test']);
    await page.reload();
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
