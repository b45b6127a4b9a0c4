import { describe, expect, test } from 'vitest';
import { type FinalSummary, renderFinalSummary } from '../../../src/cli/render/final-summary.js';
import { renderJob } from '../../../src/cli/render/jobs.js';
import { renderReport } from '../../../src/report/render-report.js';
import { createStatsCollector } from '../../../src/report/run-stats.js';
import { createJobStats } from '../../../src/service/job-stats.js';

const style = { color: false, columns: 100, unicode: true };

/** A run of more than a thousand addresses with everything that a summary can show. */
function everything(): FinalSummary {
  const gatherer = createStatsCollector(0);
  const add = (
    times: number,
    domain: string,
    status: string,
    sub_status: string,
    meant: string | null = null,
  ): void => {
    for (let index = 0; index < times; index++) {
      const email = `somebody${index}@${domain}`;
      const result = { email, status, sub_status, is_valid: status === 'valid', confidence: 1, did_you_mean: meant };
      gatherer.add([{ result, duplicate: false }]);
    }
  };
  add(1_200, 'contoso.com', 'valid', '');
  add(412, 'old-corp.com', 'invalid', 'mailbox_not_found');
  add(97, 'fabrikam.com', 'risky', 'catch_all');
  add(31, 'litwareinc.com', 'unknown', 'antispam_system');
  add(3, 'gmial.com', 'risky', 'possible_typo', 'somebody@gmail.com');
  Object.assign(gatherer.summary, {
    ...{ duplicate_count: 11, total: gatherer.summary.total + 11, empty_count: 2 },
    ...{ changes: { new: 212, same: 1_000, changed: 97, gone: 38 }, moves: { 'valid→invalid': 97 } },
  });
  const list = { name: 'list.csv', columns: ['Email'], otherColumns: [{ name: 'Alt. mail', rows: 9 }] };
  return {
    stats: gatherer.stats(list, 358_000),
    written: [
      { path: 'clean.csv', rows: 1_743 },
      { path: 'clean.rejected.csv', rows: 412 },
    ],
    next: {
      command: 'mailvet bulk list.csv -o clean.csv --resume clean.csv --only-unknown',
      description: 'asks them again',
    },
  };
}

const textOf = (ending: FinalSummary, change: Partial<typeof style> = {}): string =>
  renderFinalSummary(ending, { ...style, ...change });

describe('the final summary of a list', () => {
  test('breaks the example of a suggestion only before its arrow', () => {
    expect(textOf(everything(), { columns: 35 })).toMatch(
      /\n {4}3, e\.g\. somebody0@gmial\.com\n {4}→ somebody@gmail\.com\n/,
    );
  });

  test('separates the time of a job from that of writing its rows', () => {
    const text = textOf({ ...everything(), isVettedBefore: true });
    expect(text).toMatch(
      /Vetted +in 5 min 58 s \(5\/s\)\n +Wrote +clean\.csv \(1,743 rows\), clean\.rejected\.csv \(412 rows\)\n/,
    );
  });

  test('shows no time of a job that has not ended', () => {
    const { stats, ...others } = everything();
    const text = textOf({ ...others, stats: { ...stats, hasDuration: false }, isVettedBefore: true });
    expect(text).not.toContain('5 min 58 s');
    expect(text).toMatch(/Wrote +clean\.csv/);
  });

  test('shows the time of the last run of a resumed job, not the pause before it', () => {
    const job = { id: 'a', status: 'completed', total: 100, processed: 100, valid_count: 100 };
    const times = { started_at: '2026-11-01T12:00:00Z', finished_at: '2026-11-01T20:00:05Z' };
    const summary = { written: [{ path: 'out.csv', rows: 100 }], next: null, isVettedBefore: true };
    const resumed = { ...job, ...times, last_run_at: '2026-11-01T20:00:00Z' };
    const text = textOf({ ...summary, stats: createJobStats(resumed).stats() });
    expect(text).toMatch(/Vetted +last run took 5(\.0)? s\n/);
  });

  test.each([
    { name: 'with empty rows', counts: {}, rows_per_second: 5_000, want: '5,000/s' },
    { name: 'with reused answers', counts: { reused_count: 700 }, rows_per_second: 150, want: '150/s' },
  ])(
    'shows one rate for a job $name, on its card, with its rows and in its report',
    ({ counts, rows_per_second, want }) => {
      const rows = { total: 5_000, processed: 5_000, valid_count: 850, duplicate_count: 4_000, empty_count: 150 };
      const times = { started_at: '2026-11-01T12:00:00Z', finished_at: '2026-11-01T12:00:01Z' };
      const job = { id: 'a', status: 'completed', rows_per_second, ...rows, ...counts, ...times };
      const stats = createJobStats(job).stats();
      expect(renderJob(job, style, (...args) => args.join(' '))).toMatch(new RegExp(`Rate +${want}\\n`));
      const again = renderJob({ ...job, last_run_at: '2026-11-01T00:00:00Z' }, style, (...args) => args.join(' '));
      expect(again).toMatch(new RegExp(`Rate +${want} in the last run\\n`));
      expect(textOf({ stats, written: [], next: null, isVettedBefore: true })).toContain(`(${want})`);
      const { rowsPerSecond, ...ofList } = stats;
      expect(textOf({ stats: ofList, written: [], next: null })).toContain(`(${want})`);
      const timeline = { sliceMs: 100, answered: [1, 1] };
      expect(renderReport({ ...stats, timeline }).html).toContain(`${want.replace('/s', '')} a second on average`);
    },
  );

  describe('reasons', () => {
    const codes = ['mailbox_not_found', 'no_dns_entries', 'mailbox_disabled', 'does_not_accept_mail'];
    const risks = ['catch_all', 'disposable', 'role_based', 'possible_typo'];
    const statsOf = (reasons: readonly string[]) => {
      const collector = createStatsCollector(0);
      for (const [index, sub_status] of reasons.entries()) {
        const status = codes.includes(sub_status) ? 'invalid' : risks.includes(sub_status) ? 'risky' : 'unknown';
        const email = `a${index}@b${index}.co`;
        const result = { email, status, sub_status, is_valid: false, confidence: 1, did_you_mean: null };
        collector.add([{ result, duplicate: false }]);
      }
      return collector.stats({ name: 'l', columns: [], otherColumns: [] }, 1);
    };
    const summaryOf = (reasons: readonly string[]): string =>
      textOf({ stats: statsOf(reasons), written: [], next: null }, { columns: 45 });

    test('shows how many addresses have other reasons', () => {
      expect(summaryOf([...codes, ...risks])).toMatch(/\n {5}2 {2}for other reasons\n/);
      expect(textOf(everything())).not.toContain('other reasons');
    });

    test('shows a reason instead of a line that stands for it alone', () => {
      const text = summaryOf([...codes, ...risks.slice(0, 3)]);
      expect(text).not.toContain('other reasons');
      expect(text).toMatch(/\n {2}▲ {2}1 {2}a role, not a person/);
    });

    test('always shows cells with several addresses, which are unknown, but not asked again', () => {
      const reasons = [...codes, ...risks].flatMap((code) => [code, code]);
      const text = summaryOf([...reasons, 'several_addresses']);
      expect(text).toContain('?  1  more than one address');
      expect(text).toMatch(/\n {5}4 {2}for other reasons\n/);
    });

    test('the report shows the same', () => {
      const nine = [...codes, ...risks, 'greylisted'];
      expect(renderReport(statsOf(nine)).html).not.toContain('Other reasons');
      expect(renderReport(statsOf([...nine, 'dns_error'])).html).toContain('Other reasons');
    });
  });

  test('counts suppressed rows, and leaves reused answers out of the rate', () => {
    const summary = everything();
    Object.assign(summary.stats.summary, { suppressed_count: 3, reused_count: 1_396 });
    expect(textOf(summary)).toMatch(/2 rows without an address · 3 suppressed · 1,396 answers reused/);
    expect(textOf(summary)).toContain('in 5 min 58 s (1/s)');
  });

  test('writes a slow rate by the minute, and none for a job that waited', () => {
    const summary = everything();
    Object.assign(summary.stats.summary, { reused_count: 1_672 });
    expect(textOf(summary)).toContain('in 5 min 58 s (12/min)');
    expect(textOf({ ...summary, isVettedBefore: true })).toMatch(/Vetted +in 5 min 58 s\n/);
  });

  test.each([40, 60])('shows the total before the duplicates if %d columns are too few for one line', (columns) => {
    expect(textOf(everything(), { columns })).toMatch(/unknown\n {2}1,743 addresses · 11 duplicates/);
  });

  test('shows one number of addresses for a part of a list', () => {
    const job = { id: 'j1', status: 'running', total: 30_000, processed: 370, valid_count: 369, duplicate_count: 1 };
    const card = renderJob(job, style, (...words) => words.join(' '));
    expect(card).toMatch(/✔ 369 valid .* 369 addresses answered\n/);
    expect(card).not.toContain('29,999');
  });

  test('shows no tick for addresses that were not probed', () => {
    const gatherer = createStatsCollector(0);
    const result = { email: 'a@b.co', status: 'valid', sub_status: 'not_probed', is_valid: true, confidence: 0.6 };
    gatherer.add([{ result, duplicate: false }]);
    const stats = gatherer.stats({ name: null, columns: [], otherColumns: [] }, 10);
    const text = textOf({ stats, written: [], next: null });
    expect(text).toMatch(
      /^~ 1 valid .* 1 address\n\n {2}~ {2}1 {2}the mailbox itself was not asked\n\n {2}Took +10 ms\n$/,
    );
  });
});
