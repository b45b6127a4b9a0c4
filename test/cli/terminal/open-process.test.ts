import { expect, test } from 'vitest';
import { openProcess } from '../../../src/cli/terminal/open-process.js';

test('a listener of a library is not alone at the first signal, and is at the second', async () => {
  const others = new Set(process.listeners('SIGHUP'));
  const { signal, close } = openProcess();
  const listeners: number[] = [];
  // As signal-exit does, which ends the process if it is alone.
  const count = (): unknown => listeners.push(process.listeners('SIGHUP').filter((each) => !others.has(each)).length);
  process.on('SIGHUP', count);
  try {
    process.emit('SIGHUP');
    expect(signal.aborted).toBe(true);
    await new Promise(process.nextTick);
    process.emit('SIGHUP');
    expect(listeners).toEqual([2, 1]);
  } finally {
    process.removeListener('SIGHUP', count);
    close();
  }
});
