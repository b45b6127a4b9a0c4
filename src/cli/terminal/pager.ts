import { spawn } from 'node:child_process';
import type { Environment } from '../../settings/environment.js';
import type { Sink } from './terminal.js';

interface PagerOptions {
  stdout: Sink;
  environment: Environment;
  /** Lines of the screen. */
  rows: number;
  platform?: string;
}

/**
 * Writes a text, through a pager if it is longer than the screen. `PAGER` names another one than less, which Windows does not
 * have; empty or `cat`: none.
 */
export async function showPaged(
  text: string,
  { stdout, environment, rows, platform = process.platform }: PagerOptions,
): Promise<void> {
  const { PAGER: pager = platform === 'win32' ? '' : 'less', TERM: term = '' } = environment;
  const fits = text.split('\n').length <= rows;
  const isUsable = stdout.isTty && stdout.descriptor === 1 && term !== 'dumb' && !['', 'cat'].includes(pager.trim());
  if (fits || !isUsable || !(await runPager(pager, text, environment, platform))) await stdout.write(text);
}

/** False if the pager could not be started. */
function runPager(pager: string, text: string, environment: Environment, platform: string): Promise<boolean> {
  // As git does: end if the text fits, show colors, and leave the text on the screen.
  const env = { LESS: 'FRX', ...environment };
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'ignore'], env });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    // A shell that does not find the pager, or may not run it; cmd.exe ends with 1.
    child.on('close', (status) => resolve(platform === 'win32' ? status === 0 : status !== 127 && status !== 126));
    // The pager may end before it has read everything.
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}
