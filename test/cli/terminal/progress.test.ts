import { expect, test } from 'vitest';
import { openProgress, renderProgress } from '../../../src/cli/terminal/progress.js';
import { fakeTerminal } from '../../fakes/terminal.js';

const source = { totalBytes: 1000, bytesRead: () => 250 };

test.each([
  { name: 'with a known size', bytes: 250, total: 1000, want: '12,000 rows · 4,000/s · 25 % · 0:09 left' },
  { name: 'from a pipe', bytes: 250, total: null, want: '12,000 rows · 4,000/s' },
  { name: 'with nothing read yet', bytes: 0, total: 1000, want: '12,000 rows · 4,000/s' },
])('$name', ({ bytes, total, want }) => {
  expect(renderProgress(12_000, 3000, bytes, total)).toBe(want);
});

test('hours are shown', () => {
  expect(renderProgress(1, 3_600_000, 250, 1000)).toContain('3:00:00 left');
});

test.each([
  { name: 'stderr is a terminal', tty: true, rowsOnTerminal: false, quiet: false, shown: true },
  { name: 'stderr is none', tty: false, rowsOnTerminal: false, quiet: false, shown: false },
  { name: 'rows go to the same terminal', tty: true, rowsOnTerminal: true, quiet: false, shown: false },
  { name: '--quiet', tty: true, rowsOnTerminal: false, quiet: true, shown: false },
])('progress where $name: $shown', async ({ tty, rowsOnTerminal, quiet, shown }) => {
  const terminal = fakeTerminal({ tty });
  let time = 0;
  const progress = openProgress({ terminal, quiet }, source, rowsOnTerminal, () => time);
  time = 1000;
  progress.update(10);
  await progress.close();
  expect(terminal.err().includes('10 rows')).toBe(shown);
  expect(terminal.err().endsWith('\r\x1b[K')).toBe(shown);
});
