// `bounces` on an mbox and on a mail log of 2 GB from a pipe: peak resident memory against its limit of 200 MB, and the rate of the
// log against 100 MB/s. Run `npm run build` first.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './measure.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const totalBytes = Number(process.env.MAILVET_MBOX_BYTES ?? 2e9);
const separator = 'From MAILER-DAEMON Tue Nov  3 10:11:12 2026\n';
const ordinaryMessage = `${separator}From: a@x.example\nSubject: Photos\n\n${`${'A'.repeat(76)}\n`.repeat(5_000)}\n`;
const bounceMessage = (number) =>
  `${separator}Return-Path: <>\nFrom: MAILER-DAEMON@x.example\nSubject: failure notice\n\nHi. This is the qmail-send program.\n\n<r${number}@x.example>:\nRemote host said: 550 5.1.1 User unknown\n\n--- Below this line is a copy of the message.\n\n`;

const relay = 'relay=mx.x.example[192.0.2.1]:25, delay=1.2, delays=0.1/0.02/0.5/0.6';
const logEntry = (number) => {
  const stamp = `Nov  3 ${new Date(number * 50).toISOString().slice(11, 19)} mail postfix`;
  const id = (number * 7_919).toString(16).toUpperCase();
  return [
    `${stamp}/smtpd[71]: connect from app.internal[10.0.0.5]`,
    `${stamp}/smtpd[71]: ${id}: client=app.internal[10.0.0.5]`,
    `${stamp}/cleanup[72]: ${id}: message-id=<${number}.7f3a9c@app.internal>`,
    `${stamp}/qmgr[73]: ${id}: from=<news@ours.example>, size=18231, nrcpt=1 (queue active)`,
    `${stamp}/smtpd[71]: disconnect from app.internal[10.0.0.5] ehlo=1 mail=1 rcpt=1 data=1 quit=1 commands=5`,
    number % 25 === 0
      ? `${stamp}/smtp[74]: ${id}: to=<u${number}@x.example>, ${relay}, dsn=5.1.1, status=bounced (host mx.x.example[192.0.2.1] said: 550 5.1.1 User unknown (in reply to RCPT TO command))`
      : `${stamp}/smtp[74]: ${id}: to=<u${number}@x.example>, ${relay}, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued as ${id})`,
    `${stamp}/qmgr[73]: ${id}: removed\n`,
  ].join('\n');
};
// Made once, so that the bench does not wait for itself.
const logBlock = Buffer.from(Array.from({ length: 20_000 }, (_, number) => logEntry(number)).join(''));

const mbox = await measure((number) => `${ordinaryMessage}${bounceMessage(number)}`);
const log = await measure(() => logBlock);
const gigabytes = (totalBytes / 1e9).toFixed(1);
for (const [name, { peakMegabytes }] of Object.entries({ 'an mbox': mbox, 'a mail log': log })) {
  report({
    bench: 'bounces',
    what: `peak resident memory over ${name} of ${gigabytes} GB`,
    ours: peakMegabytes,
    peer: 200,
    peerName: 'limit',
    unit: 'MB',
    ratio: peakMegabytes / 200,
    goal: '<= 1',
  });
}
report({
  bench: 'bounces',
  what: `a mail log of ${gigabytes} GB`,
  ours: log.megabytesPerSecond,
  peer: 100,
  peerName: 'goal',
  unit: 'MB/s',
  ratio: log.megabytesPerSecond / 100,
  goal: '>= 1',
});

async function measure(blockOf) {
  const child = spawn(process.execPath, [join(root, 'bin/mailvet.js'), 'bounces', '-', '--quiet', '--format', 'csv'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  let peakMegabytes = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      // A process that has just exited has none.
      peakMegabytes = Math.max(peakMegabytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // The process has exited.
    }
  }, 50);
  const started = performance.now();
  const closed = new Promise((resolve) => child.on('close', resolve));
  for (let written = 0, number = 0; written < totalBytes; number++) {
    const block = blockOf(number);
    written += block.length;
    if (!child.stdin.write(block)) await new Promise((resolve) => child.stdin.once('drain', resolve));
  }
  child.stdin.end();
  const status = await closed;
  clearInterval(timer);
  if (status !== 0) throw new Error(`bounces ended with ${status}`);
  return { peakMegabytes, megabytesPerSecond: totalBytes / 1e3 / (performance.now() - started) };
}
