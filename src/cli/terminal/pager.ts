import { spawn } from 'node:child_process';
import type { Environment } from '../../settings/environment.js';
import type { Sink } from './terminal.js';

interface PagerOptions {
  stdout: Sink;
  environment: Environment;
  /** Lines of the screen. */
  rows: number;
}

/** Writes a text, through a pager if it is longer than the screen. `PAGER` names another one than less; empty or `cat`: none. */
export async function showPaged(text: string, { stdout, environment, rows }: PagerOptions): Promise<void> {
  const { PAGER: pager = 'less', TERM: term = '' } = environment;
  const fits = text.split('\n').length <= rows;
  const isUsable = stdout.isTty && stdout.descriptor === 1 && term !== 'dumb' && !['', 'cat'].includes(pager.trim());
  if (fits || !isUsable || !(await runPager(pager, text, environment))) await stdout.write(text);
}

/** False if the pager could not be started. */
function runPager(pager: string, text: string, environment: Environment): Promise<boolean> {
  // As git does: end if the text fits, show colors, and leave the text on the screen.
  const env = { LESS: 'FRX', ...environment };
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'ignore'], env });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    // A shell that does not find the pager, or may not run it.
    child.on('close', (status) => resolve(status !== 127 && status !== 126));
    // The pager may end before it has read everything.
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}
