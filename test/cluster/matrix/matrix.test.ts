import { expect, test } from 'vitest';
import { redis, server } from '../servers.js';
import { type MatrixOptions, runMatrix } from './matrix.js';

/** Takes some minutes. `npm run test:cluster:kill` runs the large one, and MAILVET_MATRIX (JSON) overrides any value. */
const small: MatrixOptions = {
  ...{ nodes: 2, workers: 4, rows: 20_000, lists: 4, domains: 60, hosts: 60, blockedEvery: 3 },
  ...{ latencyMs: 5, seed: 1, withinMs: 20 * 60_000 },
  stopSeconds: 5,
  disruptions: {
    ...{ 'kill worker': 3, 'kill node': 1, 'stop worker': 1 },
    ...{ 'restart database': 1, 'wipe queue': 1, 'restart queue': 1 },
  },
};
const large: Partial<MatrixOptions> = {
  ...{ nodes: 3, rows: 200_000, lists: 8, domains: 2_000, hosts: 400, blockedEvery: 10, withinMs: 90 * 60_000 },
  stopSeconds: 15,
  disruptions: {
    ...{ 'kill worker': 20, 'kill node': 5, 'stop worker': 5 },
    ...{ 'restart database': 3, 'wipe queue': 1, 'restart queue': 1 },
  },
};
const asked = process.env['MAILVET_MATRIX'] ?? '';
const size = asked === '' ? {} : asked === 'large' ? large : (JSON.parse(asked) as Partial<MatrixOptions>);
/** Two permits a host, the session of single requests of each node, and one of a suspended worker. */
const sessionsPerHost = 5;
/** Rows whose answers were not yet written when their worker was killed are asked again: at most this share. */
const maxAskedAgain = 0.06;

test(
  'rows are answered once, in order, within the limits of mail servers, while processes are killed',
  async () => {
    const options = { ...small, ...size, onNote: (text: string) => console.log(text) };
    const { logs, ...report } = await runMatrix({ server, redis }, options);
    console.log(JSON.stringify(report, null, 1));
    if (process.env['MAILVET_MATRIX_LOGS'] !== undefined) console.log(logs.join('\n\n'));
    expect({ wrong: report.wrong, wrongRows: report.wrongRows }).toEqual({ wrong: [], wrongRows: 0 });
    const { unique } = report.credits;
    expect(report.credits).toEqual({ unique, used: unique, charged: unique });
    const { singles, hosts } = report;
    expect(singles.wrong).toEqual([]);
    expect(singles.right).toBe(singles.answered - singles.late);
    expect(singles.charged).toBeGreaterThanOrEqual(singles.answered);
    expect(singles.charged).toBeLessThanOrEqual(singles.answered + singles.failed);
    expect(hosts.mostSessions).toBeLessThanOrEqual(sessionsPerHost);
    expect(hosts.grey.answered).toBe(hosts.grey.mailboxes);
    expect(hosts.grey.fromElsewhere).toBe(0);
    expect(hosts.refusals).toBeGreaterThan(0);
    expect(hosts.answeredAgain).toBeLessThanOrEqual(maxAskedAgain * options.rows);
  },
  2 * 60 * 60_000,
);
