// Records docs/images: pages of the web application and a report, from a server with fake DNS and mail servers.
//   npm run build && node scripts/screenshots.mjs        (needs Chromium and pngquant)
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { chromium } from 'playwright-core';

const images = 'docs/images';
const password = 'correct horse battery';
const home = mkdtempSync(join(tmpdir(), 'mailvet-screens-'));
const domains = [
  'gmail.com',
  'gmial.com',
  'outlook.com',
  'yahoo.com',
  'gmx.de',
  'web.de',
  'example-shop.com',
  'old-mail.net',
];

const smtp = await startMailServer();
const dns = await startNameServer();
const service = await startServe(dns.port, smtp.port);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  mkdirSync(images, { recursive: true });
  await captureAll();
} finally {
  await browser.close();
  service.child.kill();
  dns.close();
  smtp.close();
  rmSync(home, { recursive: true, force: true });
}

async function captureAll() {
  const page = await openPage('light');
  await page.getByLabel('Administrator password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('textbox', { name: 'Email address' }).fill('li.wei@gmial.com');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'How we know' }).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await capture(page, 'check');

  await page.goto(`${service.root}/keys`);
  for (const [name, plan, credits] of [
    ['signup form', 'free', '50'],
    ['billing', 'team', '50000'],
    ['crm-import', 'team', '50000'],
  ]) {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Plan').fill(plan);
    await page.getByLabel('Credits').fill(credits);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('region', { name: 'The new key' }).getByText(name).waitFor();
  }
  await page.getByRole('cell', { name: 'crm-import' }).waitFor();
  await capture(page, 'keys');

  await page.goto(`${service.root}/lists`);
  await page
    .getByLabel('Choose a list')
    .setInputFiles({ name: 'newsletter-november.csv', mimeType: 'text/csv', buffer: Buffer.from(list()) });
  await page.getByRole('button', { name: /^Check [\d,]+ addresses/ }).waitFor();
  await page.getByText(/different addresses/).waitFor();
  await capture(page, 'lists');
  await page.getByRole('button', { name: /^Check [\d,]+ addresses/ }).click();
  await page.getByText('completed').first().waitFor({ timeout: 120_000 });
  await page.getByRole('heading', { name: 'Domains' }).waitFor();
  await capture(page, 'job');
  await page.emulateMedia({ colorScheme: 'dark' });
  await capture(page, 'job-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  const report = await page.getByRole('link', { name: 'Report' }).getAttribute('href');
  await page.goto(`${service.root}${report}`);
  await page.getByRole('heading', { name: 'newsletter-november.csv' }).waitFor();
  await capture(page, 'report');
  await page.goto(`${service.root}/usage`);
  await page.getByRole('heading', { name: 'Addresses a day' }).waitFor();
  await capture(page, 'usage');
}

async function openPage(colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1180, height: 760 },
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(service.root);
  return page;
}

async function capture(page, name) {
  await page.waitForLoadState('networkidle').catch(() => {});
  const path = join(images, `${name}.png`);
  await page.screenshot({ path });
  execFileSync('pngquant', ['--force', '--strip', '--speed', '1', '--output', path, '64', path]);
}

function list() {
  const people = ['ada', 'li.wei', 'jane.doe', 'omar', 'svetlana', 'info', 'x7f3kq', 'tom.baker', 'maria', 'zoe'];
  const row = (index) =>
    `${people[index % 10]} ${index},${people[index % 10]}${index}@${domains[(index * 7) % (index % 3 === 0 ? 8 : 5)]},${1990 + (index % 30)}`;
  return `Name,Email,Since\n${Array.from({ length: 1_200 }, (_, at) => row(at)).join('\n')}\nbroken,not an address,2001\n`;
}

/** Starts the real program, which uses the two fake servers only. */
async function startServe(dnsPort, smtpPort) {
  writeFileSync(join(home, 'password'), password);
  const network = [
    '--set',
    `resolvers=127.0.0.1:${dnsPort}`,
    '--set',
    `smtp_port=${smtpPort}`,
    '--set',
    'allow_networks=127.0.0.0/8',
    '--set',
    'ehlo_name=probe.example-shop.com',
  ];
  const env = { PATH: process.env.PATH, HOME: home, MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') };
  const args = [
    'bin/mailvet.js',
    'serve',
    '--port',
    '0',
    '--set',
    'serve.log_level=error',
    '--set',
    'greylist_wait=0s',
    '--set',
    `serve.admin_password_file=${join(home, 'password')}`,
    ...network,
  ];
  const child = spawn(process.execPath, args, { env });
  const text = await new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (piece) => {
      output += piece;
      if (output.includes('Listening on')) resolve(output);
    });
    child.once('close', () => reject(new Error('serve exited at once')));
  });
  return { child, root: new URL(/Listening on (\S+)/.exec(text)[1]).origin };
}

/** A mail server that has most mailboxes of most domains. */
async function startMailServer() {
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let partialLine = '';
    socket.write('220 mx.example-shop.com ESMTP\r\n');
    socket.on('data', (piece) => {
      const lines = (partialLine + piece).split('\r\n');
      partialLine = lines.pop();
      for (const line of lines) socket.write(`${replyTo(line)}\r\n`);
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: server.address().port, close };
}

function replyTo(line) {
  if (/^EHLO/i.test(line)) return '250-mx.example-shop.com\r\n250 PIPELINING';
  if (!/^RCPT/i.test(line)) return '250 2.0.0 Ok';
  if (/@gmial\.com/.test(line)) return '250 2.1.5 Ok';
  if (/@old-mail\.net/.test(line)) return '450 4.3.2 Please try again later';
  return /<(ada|li\.wei|jane|omar|svetlana|tom|maria|zoe)[.\w]*\d?[^q]*@/.test(line)
    ? '250 2.1.5 Ok'
    : '550 5.1.1 No such user here';
}

async function startNameServer() {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port, address }) => {
    const { id, questions } = decode(bytes);
    const [{ type, name }] = questions;
    const known = domains.includes(name) || name === 'mx.example-shop.com';
    const answers = [];
    if (type === 'MX' && domains.includes(name))
      answers.push({ type, name, ttl: 300, data: { preference: 10, exchange: 'mx.example-shop.com' } });
    if (type === 'A' && known) answers.push({ type, name, ttl: 300, data: '127.0.0.1' });
    if (type === 'NS') answers.push({ type, name, ttl: 300, data: 'ns.example-shop.com' });
    if (type === 'TXT' && domains.includes(name)) answers.push({ type, name, ttl: 300, data: 'v=spf1 mx -all' });
    const soa = {
      type: 'SOA',
      name: 'com',
      ttl: 60,
      data: { mname: 'ns.com', rname: 'root.com', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 60 },
    };
    const rcode = known || answers.length > 0 ? 0 : 3;
    socket.send(
      encode({
        id,
        type: 'response',
        flags: 0x180 | rcode,
        questions,
        answers,
        authorities: answers.length > 0 ? [] : [soa],
      }),
      port,
      address,
    );
  });
  await new Promise((done) => socket.bind(0, '127.0.0.1', done));
  return { port: socket.address().port, close: () => socket.close() };
}
