// `bounces` on an mbox of 2 GB from a pipe: peak resident memory against its limit of 200 MB. Run `npm run build` first.
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

const child = spawn(process.execPath, [join(root, 'bin/mailvet.js'), 'bounces', '-', '--quiet', '--format', 'csv'], {
  stdio: ['pipe', 'ignore', 'inherit'],
});
let peakMegabytes = 0;
const timer = setInterval(() => {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peakMegabytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    // The process has exited.
  }
}, 50);
const closed = new Promise((resolve) => child.on('close', resolve));
for (let written = 0, number = 0; written < totalBytes; number++) {
  const block = `${ordinaryMessage}${bounceMessage(number)}`;
  written += block.length;
  if (!child.stdin.write(block)) await new Promise((resolve) => child.stdin.once('drain', resolve));
}
child.stdin.end();
const status = await closed;
clearInterval(timer);
if (status !== 0) throw new Error(`bounces ended with ${status}`);
report({
  bench: 'bounces',
  what: `peak resident memory over an mbox of ${(totalBytes / 1e9).toFixed(1)} GB`,
  ours: peakMegabytes,
  peer: 200,
  peerName: 'limit',
  unit: 'MB',
  ratio: peakMegabytes / 200,
  goal: '<= 1',
});
