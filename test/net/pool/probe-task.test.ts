import { expect, test } from 'vitest';
import { systemClock } from '../../../src/async/clock.js';
import { type ProbeQuestion, ProbeTask } from '../../../src/net/pool/probe-task.js';
import { SmtpFault } from '../../../src/net/smtp/fault.js';

test('what one host did to a session says nothing about the next host', () => {
  const targets = ['127.0.0.1', '127.0.0.2'].map((ip) => ({ host: 'mx.example.com', ip, port: 25 }));
  const owner = { clock: systemClock, totalMs: 1_000, listTotalMs: 1_000, onBegin: () => {}, onSettled: () => {} };
  const task = new ProbeTask({ targets } as unknown as ProbeQuestion, owner, () => {});
  task.refusalsBeforeCutoff = 3;
  task.rejectedSenders.add(0);
  task.leaveHost(targets[0] ?? { host: '', ip: '', port: 0 }, new SmtpFault('closed', 'rcpt', 'hung up'));
  expect([task.refusalsBeforeCutoff, task.rejectedSenders.size, task.target?.ip]).toEqual([null, 0, '127.0.0.2']);
});
