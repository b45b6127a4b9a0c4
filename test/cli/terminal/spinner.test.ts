import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { withSpinner } from '../../../src/cli/terminal/progress.js';
import { fakeTerminal } from '../../fakes/terminal.js';

const line = 'a@b.co · asking mx.b.co for the mailbox …';

test('shows a spinner on a terminal, and clears its line', async () => {
  const terminal = fakeTerminal();
  const live = { clear: null };
  const answer = await withSpinner({ terminal, quiet: false, live }, 'asking …', async (say) => {
    say(`${line}\x1b[31m`);
    await vi.waitUntil(() => terminal.err().includes(line), 10_000);
    expect(live.clear).not.toBeNull();
    return 7;
  });
  expect(answer).toBe(7);
  expect(terminal.err()).not.toContain('\x1b[31m');
  expect(terminal.err().lastIndexOf('\x1b[2K')).toBeGreaterThan(terminal.err().lastIndexOf(line));
  expect(live.clear).toBeNull();
});

test.each([
  { name: '--quiet', quiet: true, tty: true },
  { name: 'no terminal', quiet: false, tty: false },
])('shows nothing: $name', async ({ quiet, tty }) => {
  const terminal = fakeTerminal({ tty });
  await withSpinner({ terminal, quiet, live: { clear: null } }, line, () => setTimeout(400));
  expect(terminal.err()).toBe('');
});
