import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { startZone } from '../hostile/mail-zone.js';
import { type Serving, serve } from './serve.js';

/** What users do again and again. */

/** Presses a button with exactly this name. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
}

/** Creates a key on its page, which shows it once. */
export async function createKey(page: Page, fields: Record<string, string>): Promise<string> {
  await press(page, 'New key');
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
  await press(page, 'Create key');
  return page.getByRole('region', { name: 'The new key' }).getByText(/^mv_/).first().innerText();
}

export async function signInByKey(page: Page, key: string): Promise<void> {
  await press(page, 'Use an API key instead');
  await page.getByLabel('API key').fill(key);
  await press(page, 'Sign in');
}

/** Invites a member on the page of members; the link. */
export async function invite(page: Page, name: string, email: string): Promise<string> {
  await press(page, 'Invite a member');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email').fill(email);
  await press(page, 'Create invitation');
  const panel = page.getByRole('region', { name: 'The invitation' });
  return panel.getByText(/\/invitation#/).innerText();
}

/** Chooses the password of an invitation that is open. */
export async function acceptInvitation(page: Page, password: string, repeated = password): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat the password').fill(repeated);
  await press(page, 'Set password and sign in');
}

/** Chooses a file on the page of lists. */
export async function chooseList(page: Page, name: string, content: string | Buffer): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(content) };
  await page.getByLabel('Choose a list').setInputFiles(file);
}

/** Drops files on the page of lists. */
export async function dropLists(page: Page, names: readonly string[], content: string): Promise<void> {
  await page.evaluate(
    ([text, ...files]) => {
      const data = new DataTransfer();
      for (const name of files) data.items.add(new File([text ?? ''], name));
      const event = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
      document.querySelector('.drop')?.dispatchEvent(event);
    },
    [content, ...names],
  );
}

/** Holds the requests of a pattern until the returned function is called. */
export async function hold(page: Page, pattern: string): Promise<() => void> {
  let letGo = (): void => {};
  const held = new Promise<void>((done) => {
    letGo = done;
  });
  await page.route(pattern, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  return letGo;
}

/** Sets whether a page believes that it is hidden. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

/** A server that asks one scripted mail host about these domains. */
export function useMailServing(domains: readonly string[], rcpt: (address: string) => string | null): Serving {
  const serving = {} as Serving;
  const parts: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const host: SmtpHost = await startSmtpHost({ rcpt });
    const hosts = [{ name: 'mx.mailvet-lab.com', addresses: [host.ip] }];
    const zone = await startZone(domains.map((name) => ({ name, hosts })));
    const settings = [
      ...[`resolvers=${zone.address}`, `smtp_port=${host.port}`, 'allow_networks=127.0.0.0/8'],
      ...['greylist_wait=0s', 'ehlo_name=probe.mailvet-lab.com'],
    ];
    const args = ['--level', 'smtp', ...settings.flatMap((setting) => ['--set', setting])];
    Object.assign(serving, await serve({ args }));
    parts.push(
      () => serving.stop(),
      () => zone.close(),
      () => host.stop(),
    );
  });
  afterAll(async () => {
    for (const stop of parts) await stop();
  });
  return serving;
}
