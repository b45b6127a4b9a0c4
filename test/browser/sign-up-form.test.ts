import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './open-browser.js';

const lab = useBrowser();

test('the example of a sign-up form suggests a correction, and asks its server only for what it cannot know itself', async () => {
  const { page, allow } = await lab.open('about:blank');
  const sent: unknown[] = [];
  await page.route('http://form.test/**', (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    if (name === '')
      return route.fulfill({ contentType: 'text/html', path: resolve('examples/sign-up-form/page.html') });
    if (name === 'sign-up') {
      sent.push(route.request().postDataJSON());
      const answer = { message: 'This address does not receive mail.', suggestion: null };
      return sent.length === 1 ? route.fulfill({ status: 422, json: answer }) : route.fulfill({ json: { ok: true } });
    }
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(resolve('dist', name), 'utf8') });
  });
  allow(/422/);
  await page.goto('http://form.test/');
  const field = page.getByLabel('Email address');
  const submit = page.getByRole('button', { name: 'Sign up' });
  await field.fill('jane@gmail,com');
  await submit.click();
  await page.getByText('There is a comma in the domain').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use jane@gmail.com' }).click();
  await submit.click();
  await page.getByText('does not receive mail').waitFor();
  await field.fill('jane@gmial.com');
  await submit.click();
  await page.getByRole('button', { name: 'Use jane@gmail.com' }).waitFor();
  await submit.click();
  await page.getByText('Welcome').waitFor();
  expect(sent).toEqual([
    { email: 'jane@gmail.com', isSure: false },
    { email: 'jane@gmial.com', isSure: true },
  ]);
});
