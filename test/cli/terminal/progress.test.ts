import { expect, test } from 'vitest';
import { renderProgress } from '../../../src/cli/render/progress.js';
import { openProgressLine } from '../../../src/cli/terminal/progress.js';
import { fakeTerminal } from '../../fakes/terminal.js';

const style = { unicode: true, color: false, columns: 100 };
const counts = { valid_count: 9_000, risky_count: 1_000, invalid_count: 1_500, unknown_count: 500 };

test.each([
  {
    name: 'with the counts where they fit',
    progress: { answered: 12_000, total: 48_000, counts },
    want: '█████░░░░░░░░░░░░░░░ 25% · 12,000 of 48,000 · ✔ 9,000 ▲ 1,000 ✖ 1,500 ? 500 · 4,000/s · 9.0 s left',
  },
  {
    name: 'without them where they do not',
    progress: { answered: 12_000, total: 48_000, counts, remark: 'and something else to say' },
    want: '█████░░░░░░░░░░░░░░░ 25% · 12,000 of 48,000 · 4,000/s · 9.0 s left · and something else to say',
  },
  {
    name: 'with a known size',
    progress: { answered: 12_000, total: 48_000 },
    want: '█████░░░░░░░░░░░░░░░ 25% · 12,000 of 48,000 · 4,000/s · 9.0 s left',
  },
  {
    name: 'with an estimated size',
    progress: { answered: 12_000, total: 48_000, isEstimate: true },
    want: '█████░░░░░░░░░░░░░░░ 25% · 12,000 of ~48,000 · 4,000/s · 9.0 s left',
  },
  { name: 'from a pipe', progress: { answered: 12_000, total: null }, want: '12,000 rows · 4,000/s' },
  { name: 'with nothing answered yet', progress: { answered: 0, total: 5 }, want: `${'░'.repeat(20)} 0% · 0 of 5` },
  { name: 'at the end', progress: { answered: 5, total: 5, rate: 2 }, want: `${'█'.repeat(20)} 100% · 5 of 5 · 2/s` },
  {
    name: 'what waits is not counted into the time left',
    progress: { answered: 9_997, total: 10_000, waiting: 3, rate: 10 },
    want: `${'█'.repeat(19)}▉ 99% · 9,997 of 10,000 · 10/s · 3 wait for greylisting (Ctrl-C stops waiting and keeps the results)`,
  },
  {
    name: 'queued',
    progress: { answered: 0, total: 2, remark: 'waiting for its turn' },
    want: `${'░'.repeat(20)} 0% · 0 of 2 · waiting for its turn`,
  },
])('$name', ({ progress, want }) => {
  expect(renderProgress(progress, 3000, style)).toBe(want);
});

test('shows the time of the next retry after greylisting', () => {
  const line = renderProgress({ answered: 1, total: 2, waiting: 1, nextAt: Date.now() }, 1000, {
    ...style,
    unicode: false,
  });
  expect(line).toMatch(/1 waits for greylisting \(next \d\d:\d\d \S+; Ctrl-C stops waiting and keeps the results\)$/);
});

test.each([
  { name: 'stderr is a terminal', tty: true, hidden: false, quiet: false, shown: true },
  { name: 'rows go to the same terminal', tty: true, hidden: true, quiet: false, shown: false },
  { name: '--quiet', tty: true, hidden: false, quiet: true, shown: false },
])('progress where $name: $shown', async ({ tty, hidden, quiet, shown }) => {
  const terminal = fakeTerminal({ tty });
  const live = { clear: null };
  const line = openProgressLine({ terminal, quiet, live }, { hidden, now: () => 0 });
  line.show(() => '10 rows');
  line.show(() => 'too soon');
  expect(live.clear !== null).toBe(shown);
  await line.close();
  expect(terminal.err()).toBe(shown ? '\r\x1b[K10 rows\r\x1b[K' : '');
});

test('writes a plain line every half minute without a terminal', () => {
  const terminal = fakeTerminal({ tty: false });
  let now = 0;
  const line = openProgressLine({ terminal, quiet: false, live: { clear: null } }, { now: () => now });
  const show = (): void =>
    line.show((elapsedMs, withBar) =>
      renderProgress({ answered: now / 10, total: 9_000, rate: 100 }, elapsedMs, style, { withBar }),
    );
  for (now = 0; now <= 60_000; now += 1_000) show();
  expect(terminal.err()).toBe(
    'note: 33% · 3,000 of 9,000 · 100/s · 1 min left\nnote: 66% · 6,000 of 9,000 · 100/s · 30 s left\n',
  );
});

test('writes no plain line with --quiet', () => {
  const terminal = fakeTerminal({ tty: false });
  let now = 0;
  const line = openProgressLine({ terminal, quiet: true, live: { clear: null } }, { now: () => now });
  now = 60_000;
  line.show(() => '10 rows');
  expect(terminal.err()).toBe('');
});
