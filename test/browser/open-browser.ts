import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { password, type ServeOptions, type Serving, serve } from './serve.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page whose console messages and blocked requests fail the test. */
export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Allows messages that a test causes on purpose. */
  allow(pattern: RegExp): void;
}

/** A browser for the tests of a file. */
export function useBrowser() {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const pageErrors: string[] = [];
  let allowed: RegExp[] = [];
  beforeAll(async () => {
    // Chromium refuses to sandbox as root.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: inject('chromium'), args });
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    const unexpected = pageErrors.splice(0).filter((text) => !allowed.some((pattern) => pattern.test(text)));
    allowed = [];
    expect(unexpected).toEqual([]);
  });
  afterAll(() => browser?.close());

  const watch = (page: Page): void => {
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => pageErrors.push(`console: ${message.text()} (${message.location().url})`));
    page.on('pageerror', (error) => pageErrors.push(`error: ${error.message}`));
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? '';
      if (why !== 'net::ERR_ABORTED') pageErrors.push(`request: ${request.url()} ${why}`);
    });
  };
  const allow = (pattern: RegExp): void => {
    allowed.push(pattern);
  };
  return {
    allow,
    /** A separate browser context, like that of another user. */
    async open(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
      const context = await browser.newContext({ viewport: { width: 1180, height: 800 }, ...options });
      contexts.push(context);
      context.on('page', watch);
      const page = await context.newPage();
      await page.goto(url);
      return { page, context, allow };
    },
    /** The same, signed in as administrator. */
    async signedIn({ root }: Serving, path = '/', options: BrowserContextOptions = {}): Promise<Watched> {
      const watched = await this.open(`${root}${path}`, options);
      await signIn(watched.page);
      return watched;
    },
  };
}

/** A server for the tests of a file. */
export function useServing(options?: ServeOptions): Serving {
  const serving = {} as Serving;
  beforeAll(async () => void Object.assign(serving, await serve(options)));
  afterAll(() => serving.stop?.());
  return serving;
}

/** Signs in with the password. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Administrator password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** Expects no violation of axe-core, and nothing wider than the screen. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }).axe.run({
      resultTypes: ['violations'],
    }),
  );
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
  ).toEqual([]);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBeLessThanOrEqual(0);
}
