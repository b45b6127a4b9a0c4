import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { renderProgress } from '../../../src/cli/render/progress.js';
import { openProgressLine } from '../../../src/cli/terminal/progress.js';
import type { LiveLine } from '../../../src/cli/terminal/terminal.js';
import { fakeTerminal } from '../../fakes/terminal.js';

const style = { unicode: true, color: false, columns: 102 };
const counts = { valid_count: 9_000, risky_count: 1_000, invalid_count: 1_500, unknown_count: 500 };

test.each([
  [
    'with the counts if they fit',
    { answered: 12_000, total: 48_000, counts },
    '█████░░░░░░░░░░░░░░░ 25% · 12,000 of 48,000 · ✔ 9,000 ▲ 1,000 ✖ 1,500 ? 500 · 4,000/s · 9 s left',
  ],
  [
    'without the counts if they do not fit',
    { answered: 12_000, total: 48_000, counts, remark: 'and something else to say' },
    '█████░░░░░░░░░░░░░░░ 25% · 12,000 of 48,000 · 4,000/s · 9 s left · and something else to say',
  ],
  [
    'with a known size',
    { answered: 12_000, total: 48_000 },
    '█████░░░░░░░░░░░░░░░ 25% · 12,000 of 48,000 · 4,000/s · 9 s left',
  ],
  [
    'with an estimated size',
    { answered: 12_000, total: 48_000, isEstimate: true },
    '█████░░░░░░░░░░░░░░░ 25% · 12,000 of ~48,000 · 4,000/s · ~9 s left',
  ],
  ['from a pipe', { answered: 12_000, total: null }, '12,000 rows · 4,000/s'],
  ['with nothing answered yet', { answered: 0, total: 5 }, `${'░'.repeat(20)} 0% · 0 of 5`],
  ['at the end', { answered: 5, total: 5, rate: 2 }, `${'█'.repeat(20)} 100% · 5 of 5 · 2/s`],
  [
    'rows that wait are not included in the time left',
    { answered: 9_997, total: 10_000, waiting: 3, rate: 10 },
    `${'█'.repeat(19)}▉ 99% · 9,997 of 10,000 · 3 wait for a retry (Ctrl-C keeps the answers)`,
  ],
  [
    'no time left that ends before the next retry',
    { answered: 50, total: 100, waiting: 1, nextAt: new Date(2100, 0, 1).getTime(), rate: 10, leftMs: 8_000 },
    expect.not.stringContaining('left') as unknown as string,
  ],
  [
    'no time left from the first few answers',
    { answered: 1, total: 10_278 },
    `${'░'.repeat(20)} 0% · 1 of 10,278 · 20/min`,
  ],
  [
    'reused answers are not in the rate, and not in the time left',
    { answered: 9_300, total: 10_000, reused: 9_000 },
    `${'█'.repeat(18)}▌░ 93% · 9,300 of 10,000 · 100/s · 7 s left`,
  ],
  [
    'duplicates and empty rows, so that the counts add up',
    { answered: 7, total: 7, rate: 0, counts: { valid_count: 4, duplicate_count: 2, empty_count: 1 } },
    `${'█'.repeat(20)} 100% · 7 of 7 · ✔ 4 ▲ 0 ✖ 0 ? 0 · 2 duplicates · 1 empty`,
  ],
  ['queued', { answered: 0, total: 2, remark: 'queued' }, `${'░'.repeat(20)} 0% · 0 of 2 · queued`],
])('%s', (_name, progress, want) => expect(renderProgress(progress, 3000, style)).toEqual(want));

test('no time left is claimed from the first answers of a long list', () => {
  expect(renderProgress({ answered: 65, total: 83_158 }, 2_200, style)).not.toContain('left');
  expect(renderProgress({ answered: 65, total: 83_158 }, 11_000, style)).toContain('left');
});

test('the last answers, which come from slow servers, have no time left', () => {
  expect(renderProgress({ answered: 3_001, total: 3_002 }, 10_000, style)).not.toContain('left');
});

test.each([
  [120, /^█{19}▉ 99% · 9,994 of 10,000 · 6 wait for a retry \(next try \d\d:\d\d \S+; Ctrl-C keeps the answers\)$/],
  [80, /^█{9}▉ 99% · 9,994 of 10,000 · 6 wait for a retry, next try \d\d:\d\d \S+$/],
  [60, /^9,994 of 10,000 · 6 wait, next try \d\d:\d\d \S+$/],
  [45, /^9,994 of 10,000 · 6 wait, next try \d\d:\d\d \S+$/],
])('shows the time of the next retry in %s columns', (columns, want) => {
  const progress = { answered: 9_994, total: 10_000, waiting: 6, nextAt: Date.now(), counts };
  const line = renderProgress(progress, 60_000, { ...style, columns });
  expect(line).toMatch(want);
  expect(line.length).toBeLessThan(columns);
  // Room for the ^C that a terminal adds, unless the time would be cut.
  if (columns > 45) expect(line.length).toBeLessThanOrEqual(columns - 3);
});

test('redraws a line that a note has cleared', async () => {
  vi.useFakeTimers();
  try {
    const terminal = fakeTerminal({ tty: true });
    const live: LiveLine = { clear: null };
    const line = openProgressLine({ terminal, quiet: false, live });
    line.show(() => '1 of 4');
    live.clear?.();
    vi.advanceTimersByTime(100);
    expect(terminal.err()).toBe('\r\x1b[K1 of 4\r\x1b[K\r\x1b[K1 of 4');
    await line.close();
  } finally {
    vi.useRealTimers();
  }
});

test('shows nothing after it was closed', async () => {
  const terminal = fakeTerminal({ tty: true });
  const line = openProgressLine({ terminal, quiet: false, live: { clear: null } });
  await line.close();
  line.show(() => '1 of 4');
  expect(terminal.err()).toBe('');
});

test('redraws nothing if another program may write to the terminal', async () => {
  const terminal = fakeTerminal({ tty: true });
  const line = openProgressLine({ terminal, quiet: false, live: { clear: null } }, { isPlain: true });
  line.show(() => '1 of 4');
  await line.close();
  expect(terminal.err()).toBe('');
});

describe('below a table', () => {
  const clear = '\r\x1b[K';
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A screen that shows stdout and stderr. */
  function openScreen(context: { quiet?: boolean; environment?: Record<string, string> } = {}) {
    const terminal = fakeTerminal();
    const live: LiveLine = { clear: null };
    let seen = '';
    const write = async (data: unknown): Promise<void> => {
      seen += data;
    };
    const screen = { ...terminal.stdout, write };
    const shown = { terminal: { ...terminal, stderr: screen }, live, quiet: false, ...context };
    const line = openProgressLine(shown, { belowRows: true });
    const print = (text: string): Promise<void> => live.print?.(screen, text) ?? screen.write(text);
    const show = (text: string): void => line.show(() => text);
    return { live, line, print, show, screen, seen: () => seen };
  }

  test('rows are printed above the line with its next redraw, and the line is gone at the end', async () => {
    const { line, print, show, seen } = openScreen();
    show('0 of 3');
    vi.advanceTimersByTime(300);
    expect(seen()).toBe(`${clear}0 of 3`);
    await print('one\n');
    await print('two\n');
    expect(seen()).toBe(`${clear}0 of 3`);
    vi.advanceTimersByTime(100);
    expect(seen()).toBe(`${clear}0 of 3${clear}one\ntwo\n${clear}0 of 3`);
    await print('three\n');
    await line.close();
    expect(seen()).toMatch(/0 of 3\r\x1b\[Kthree\n\r\x1b\[K$/);
  });

  test('it is redrawn at most ten times a second', async () => {
    const { line, print, show, seen } = openScreen();
    for (let row = 0; row < 1_000; row++) {
      await print(`${row}\n`);
      show('progress');
      vi.advanceTimersByTime(2);
    }
    await line.close();
    expect(seen().split('progress').length - 1).toBeLessThanOrEqual(20);
    expect(seen().match(/\d+(?=\n)/g)).toEqual(Array.from({ length: 1_000 }, (_, row) => String(row)));
  });

  test('a run that ends soon shows no line', async () => {
    const { line, print, show, seen } = openScreen();
    show('0 of 1');
    vi.advanceTimersByTime(200);
    await print('one\n');
    await line.close();
    expect(seen()).toBe('one\n');
  });

  test('a note comes after the rows before it', async () => {
    const { live, print, show, seen } = openScreen();
    show('0 of 1');
    vi.advanceTimersByTime(300);
    await print('one\n');
    live.clear?.();
    expect(seen()).toBe(`${clear}0 of 1${clear}one\n`);
  });

  test('rows that cannot be written end the run', async () => {
    const { line, print, show, screen } = openScreen();
    show('0 of 1');
    vi.advanceTimersByTime(300);
    screen.write = async () => Promise.reject(new Error('closed'));
    await print('one\n');
    vi.advanceTimersByTime(100);
    await expect(print('two\n')).rejects.toThrow('closed');
    await expect(line.close()).rejects.toThrow('closed');
  });

  test.each([{ quiet: true }, { environment: { TERM: 'dumb' } }])('nothing is redrawn: %o', async (context) => {
    const { line, print, show, seen } = openScreen(context);
    show('0 of 1');
    vi.advanceTimersByTime(1_000);
    await print('one\n');
    await line.close();
    expect(seen()).toBe('one\n');
  });
});

test('shows the time of the next retry after greylisting', () => {
  const line = renderProgress({ answered: 1, total: 2, waiting: 1, nextAt: Date.now() }, 1000, {
    ...style,
    columns: 120,
    unicode: false,
  });
  expect(line).toMatch(/1 waits for a retry \(next try \d\d:\d\d \S+; Ctrl-C keeps the answers\)$/);
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
