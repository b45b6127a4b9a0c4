import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { readyOrStopped, stopProcess } from './process.js';

test('a server that does not come up is stopped', async () => {
  const child = spawn('sleep', ['60']);
  const ready = Promise.reject(new Error('nothing listens'));
  await expect(readyOrStopped(ready, () => stopProcess(child))).rejects.toThrow('nothing listens');
  expect(child.signalCode).toBe('SIGTERM');
});
