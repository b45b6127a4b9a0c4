// The long version of the kill test of the service: npm run build, then node test/server/kill-nine.mjs [--times 30] [--seed 1]
// The server is repeatedly killed under load. After each restart, the balance must match the answers, plus at most the requests
// in flight. At the end, the jobs that ran all the time must be complete and charged once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { times: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const times = Number(values.times);
const binary = join(import.meta.dirname, '../../bin/mailvet.js');
const granted = 100_000_000;
const jobRows = 20_000;
/** Ten times as long as on an idle machine. */
const deadlineMs = times * 60_000;
const home = mkdtempSync(join(tmpdir(), 'mailvet-kill-'));
const env = { PATH: process.env.PATH, HOME: home, MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') };
const random = randomNumbers(Number(values.seed));
const started = performance.now();

/** The server refused a request, which must never happen here. */
class Refused extends Error {}

let server = null;
let exited = null;
let api = '';
let count = 0;
/** Credits of received answers, and of requests in flight when the server was killed. */
const books = { answered: 0, swallowed: 0 };

try {
  const key = JSON.parse(await run('keys', 'create', '--name', 'kill', '--credits', String(granted), '--json')).key;
  const jobs = [];
  for (let round = 0; round < times; round++) {
    if (performance.now() - started > deadlineMs) throw new Error(`Only ${round} kills in ${deadlineMs} ms.`);
    await start();
    await checkBooks(key, jobs.length * jobRows, `before kill ${round + 1}`);
    jobs.push(await submit(key));
    const clients = Promise.all([1, 1, 100, 100, 1_000].map((size) => asking(key, size)));
    await new Promise((resolve) => setTimeout(resolve, 100 + 900 * random()));
    server.kill('SIGKILL');
    await clients;
    await exited;
  }
  await start();
  for (const id of jobs) await whole(key, id);
  const spent = await checkBooks(key, jobs.length * jobRows, 'at the end');
  console.log(JSON.stringify({ kills: times, spent, ...books, jobs: jobs.length, jobRows: jobs.length * jobRows }));
} finally {
  server?.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

/** Jobs reserve their credits at once, so the difference is what requests were charged. */
async function checkBooks(key, ofJobs, when) {
  const { credits } = await ask(key, '/credits');
  const spent = granted - credits - ofJobs;
  if (spent < books.answered || spent > books.answered + books.swallowed) {
    throw new Error(`${when}: charged ${spent}, answered ${books.answered}, swallowed ${books.swallowed}.`);
  }
  return spent;
}

/** Validates this many new addresses per request until the server is killed. */
async function asking(key, size) {
  for (;;) {
    const emails = Array.from({ length: size }, () => `u${count++}@python.org`);
    const body = size === 1 ? { email: emails[0] } : { emails };
    try {
      const answer = await ask(key, size === 1 ? '/validation/single' : '/validation/bulk', body);
      books.answered += size === 1 ? 1 : answer.credits_used;
    } catch (error) {
      if (error instanceof Refused) throw error;
      books.swallowed += size;
      return;
    }
  }
}

async function submit(key) {
  const list = Array.from({ length: jobRows }, () => `j${count++}@python.org`).join('\n');
  const form = new FormData();
  form.append('file', new Blob([`email\n${list}\n`]), 'list.csv');
  const { upload_id } = await ask(key, '/bulk/upload/preview', form);
  return (await ask(key, '/bulk/upload/confirm', { upload_id, email_column: 'email' })).id;
}

/** Waits for a job, every row of which must be answered and charged once. */
async function whole(key, id) {
  for (;;) {
    const job = await ask(key, `/bulk/jobs/${id}`);
    if (performance.now() - started > deadlineMs) throw new Error(`Job ${id} is still ${job.status}.`);
    if (job.status === 'queued' || job.status === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    const { status, processed, valid_count, credits_used } = job;
    if (status === 'completed' && [processed, valid_count, credits_used].every((sum) => sum === jobRows)) return;
    throw new Error(`A job is not whole: ${JSON.stringify(job)}`);
  }
}

async function ask(key, path, body) {
  const headers = { 'x-api-key': key };
  if (body !== undefined && !(body instanceof FormData)) headers['content-type'] = 'application/json';
  const payload = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  const answer = await fetch(`${api}${path}`, { method: body === undefined ? 'GET' : 'POST', headers, body: payload });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

async function start() {
  server = spawn(process.execPath, [binary, 'serve', '--port', '0', '--level', 'syntax', '--json', '-q'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  exited = once(server, 'exit');
  const [line] = await once(server.stdout, 'data');
  api = JSON.parse(line).url;
}

async function run(...args) {
  const child = spawn(process.execPath, [binary, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

/** Repeatable: mulberry32. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
