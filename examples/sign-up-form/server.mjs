// A sign-up form from end to end: the page checks while people type, this server asks mailvet, and mailvet asks the mail
// server. The key stays here. Start:
//   MAILVET_BASE_URL=http://127.0.0.1:8080 MAILVET_API_KEY=mv_… node server.mjs
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonical, emailSchema } from 'mailvet/address';

const { MAILVET_BASE_URL = 'http://127.0.0.1:8080', MAILVET_API_KEY = '', PORT = '3000' } = process.env;
const here = dirname(fileURLToPath(import.meta.url));
const library = dirname(fileURLToPath(import.meta.resolve('mailvet/address')));
/** Your database, with the canonical address as its key: one mailbox, one account. */
const accounts = new Map();

/** Whether a visitor may sign up: `{ok}`, or `{message, suggestion}` for the form. */
async function signUp({ email, isSure = false }) {
  const { issues } = emailSchema({ refuse: isSure ? [] : ['typo'] })['~standard'].validate(email);
  if (issues !== undefined) return { message: issues[0].message, suggestion: issues[0].suggestion };
  const key = canonical(email, { provider: true });
  if (accounts.has(key)) return { message: 'There is an account with this address.', suggestion: null };
  const { status, sub_status: subStatus } = await validate(email);
  if (status === 'invalid') return { message: 'This address does not receive mail.', suggestion: null };
  if (subStatus === 'disposable') return { message: 'Use a permanent address.', suggestion: null };
  // Everything else passes, `unknown` as well: the confirmation mail decides.
  accounts.set(key, { email, status });
  return { ok: true };
}

/** mailvet answers within 1.5 seconds. If it cannot, the form must not fail: the address passes. */
async function validate(email) {
  try {
    const response = await fetch(`${MAILVET_BASE_URL}/api/v1/validation/single`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': MAILVET_API_KEY },
      body: JSON.stringify({ email, timeout_ms: 1_500 }),
      signal: AbortSignal.timeout(3_000),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    return await response.json();
  } catch (error) {
    console.error('mailvet did not answer:', error.message);
    return { status: 'unknown', sub_status: '' };
  }
}

const server = createServer(async (request, response) => {
  const send = (status, type, body) => response.writeHead(status, { 'content-type': type }).end(body);
  try {
    if (request.method === 'POST' && request.url === '/sign-up') {
      let body = '';
      for await (const chunk of request) {
        body += chunk;
        if (body.length > 10_000) throw new Error('The form is too long.');
      }
      const answer = await signUp(JSON.parse(body));
      return send(answer.ok ? 201 : 422, 'application/json', JSON.stringify(answer));
    }
    if (request.url === '/') return send(200, 'text/html', await readFile(join(here, 'page.html')));
    const module = /^\/(address[\w-]*\.js)$/.exec(request.url)?.[1];
    if (module !== undefined) return send(200, 'text/javascript', await readFile(join(library, module)));
    send(404, 'text/plain', 'not found');
  } catch (error) {
    send(400, 'application/json', JSON.stringify({ message: error.message, suggestion: null }));
  }
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
