import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DriverName } from '../../../src/jobs/store/sqlite/driver-registry.js';
import { lastResults } from '../../contract/store/store-lab.js';
import { knownAnswer, list, openLab } from '../../fakes/job-lab.js';

export interface KillReport {
  kills: number;
  rows: number;
  asked: number;
  /** Rows that were reported as done before a kill but are missing after it. */
  lost: number;
  /** Rows with a wrong verdict, none, or more than one. */
  wrong: number;
  /** The most rows that were asked again after one kill. */
  mostAskedAgain: number;
}

/** Rows in flight and not yet committed, at most: 20 at once, and two batches of 50. */
export const inFlightRows = 120;

/** Runs a job in a child process, kills it `times` times with SIGKILL at random moments, and lets the last one finish. */
export async function killNine(child: string, times: number, rows: number, driver: DriverName): Promise<KillReport> {
  const lab = await openLab(driver);
  const id = await lab.submit(list(rows));
  const report = { kills: 0, rows, asked: 0, lost: 0, wrong: 0, mostAskedAgain: 0 };
  const log = (): string[] => readLog(join(lab.home, 'log'));
  for (;;) {
    const last = report.kills >= times;
    const process = fork(child, ['work', lab.home, driver], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const ended = last
      ? await finished(process)
      : await killed(process, join(lab.home, 'log'), Math.random() * 1.6 * (rows / (times + 1)));
    const reported = Math.max(0, ...log().map((line) => (line.startsWith('done ') ? Number(line.slice(5)) : 0)));
    const job = await lab.store.getJob('local', id);
    report.lost += Math.max(0, reported - (job?.processed ?? 0));
    if (ended === 'finished') break;
    report.kills++;
  }
  const asks = new Map<string, number>();
  for (const line of log()) {
    if (!line.startsWith('ask ')) continue;
    report.asked++;
    asks.set(line, (asks.get(line) ?? 0) + 1);
  }
  report.mostAskedAgain = Math.ceil((report.asked - asks.size) / Math.max(1, report.kills));
  const results = await lastResults(lab.store, id);
  const expected = Array.from({ length: rows }, (_, row) => knownAnswer(`person${row}@host${row % 50}.example`));
  const correct = results.filter(({ row, verdict }) => {
    const want = expected[row];
    return verdict.status === want?.status && verdict.confidence === want.confidence;
  });
  const job = await lab.store.getJob('local', id);
  report.wrong = rows - correct.length + Math.abs((job?.processed ?? 0) - rows) + (job?.state === 'completed' ? 0 : 1);
  if ((await lab.store.check()).length > 0) report.wrong++;
  await lab.close();
  return report;
}

async function finished(child: ChildProcess): Promise<'finished'> {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the worker ended with ${code}`);
  return 'finished';
}

const bytesPerLine = 32;

/** Kills the child after this many more lines; it may have finished by then. */
async function killed(child: ChildProcess, diary: string, lines: number): Promise<'killed' | 'finished'> {
  const exit = once(child, 'exit');
  const enough = sizeOf(diary) + lines * bytesPerLine;
  const watch = setInterval(() => {
    if (sizeOf(diary) >= enough) child.kill('SIGKILL');
  }, 1);
  const [code, signal] = await exit;
  clearInterval(watch);
  if (signal === null && code !== 0) throw new Error(`the worker ended with ${code}`);
  return signal === null ? 'finished' : 'killed';
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readLog(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
