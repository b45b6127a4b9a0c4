import { renderDuration } from '../../model/text/time.js';
import { sanitize } from '../terminal/sanitize.js';
import { paint } from './style/paint.js';

interface LogLine {
  level?: number;
  time?: number;
  msg?: string;
  method?: string;
  route?: string;
  status?: number;
  ms?: number;
  key?: string;
  code?: string;
  err?: { stack?: string };
}

/** Formats JSON log lines as short text lines. Other lines stay unchanged. */
export function renderLogLines(lines: string, { color }: { color: boolean }): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? '' : renderLine(line, color)))
    .join('\n');
}

function renderLine(line: string, color: boolean): string {
  const chalk = paint(color);
  let entry: LogLine;
  try {
    entry = JSON.parse(line) as LogLine;
  } catch {
    return sanitize(line);
  }
  if (typeof entry !== 'object' || entry === null) return sanitize(line);
  const { time = Date.now(), level = 30, msg = '', method, route, status, ms = 0, key, code, err } = entry;
  const clock = chalk.dim(new Date(time).toTimeString().slice(0, 8));
  if (status !== undefined) {
    const tone = status >= 500 ? chalk.red : status >= 400 ? chalk.yellow : chalk.green;
    const owner = key === undefined ? '' : `  key ${sanitize(key)}`;
    const what = sanitize(`${method ?? ''} ${route ?? ''}`);
    return `${clock}  ${tone(String(status))}  ${what}  ${chalk.dim(`${renderDuration(ms)}${owner}`)}`;
  }
  const [first = ''] = (err?.stack ?? '').split('\n');
  const text = sanitize([msg, code, first].filter((part) => part !== undefined && part !== '').join(': '));
  return level >= 50 ? `${clock}  ${chalk.red('error')}  ${text}` : `${clock}  ${text}`;
}
