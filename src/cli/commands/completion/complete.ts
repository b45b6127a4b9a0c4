import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { Failure } from '../../../model/failure.js';
import { shortId } from '../../../model/text/short-id.js';
import { openTable } from '../../../rows/open-rows.js';
import { findFolders } from '../../../settings/folders.js';
import { defaultProfile, readSettingsFile } from '../../../settings/read-file.js';
import type { Context } from '../../context.js';
import { resolveAlias } from '../../flags/find-command.js';
import { sanitize } from '../../terminal/sanitize.js';
import { type CompletionPoint, completionPoints, type DynamicKind } from './completion-points.js';

const maxJobs = 30;
const timeoutMs = 2_000;

/** Prints one completion of the last word per line, with a description after a tab. Prints nothing on an error. */
export async function runComplete(context: Context, program: Command, typed: readonly string[]): Promise<number> {
  const lines = await completions(context, completionPoints(program), typed.map(unquote)).catch(() => []);
  await context.terminal.stdout.write(lines.map((line) => `${line.map(sanitize).join('\t')}\n`).join(''));
  return 0;
}

const files = [['files:']];

/** bash leaves quotes and escapes in the words. */
function unquote(word: string): string {
  const [, quoted] = /^['"](.*?)['"]?$/s.exec(word) ?? [];
  return quoted ?? word.replace(/\\(.)/gs, '$1');
}

async function completions(
  context: Context,
  points: readonly CompletionPoint[],
  typed: readonly string[],
): Promise<readonly string[][]> {
  const { words, flag, current, prefix } = splitValue(typed);
  const { point, operands } = findPoint(points, words);
  const isTyped = ([value = '']: string[]): boolean => value.startsWith(current);
  const valued = point.flags.find(({ names }) => names.includes(flag ?? words.at(-1) ?? ''));
  const second = point.secondArguments.find(({ first }) => first === words.at(-1));
  const values =
    valued && (valued.takesValue || (flag !== null && valued.choices.length > 0))
      ? valued
      : second && { choices: second.choices, dynamic: null, isList: false };
  if (values !== undefined) {
    if (values.dynamic !== null) return (await dynamicLines(context, values.dynamic, words)).filter(isTyped);
    if (values.choices.length === 0) return files;
    const done = values.isList ? current.split(',').slice(0, -1) : [];
    const open = values.choices.filter((choice) => !done.includes(choice));
    return open
      .map((choice) => [[...done, choice].join(',')])
      .filter(isTyped)
      .map(([value]) => [`${prefix}${value}`]);
  }
  if (current.startsWith('-')) {
    return point.flags.flatMap(({ names, description }) => names.map((name) => [name, description])).filter(isTyped);
  }
  const { maxArguments, argument, subcommands, path } = point;
  if (maxArguments !== null && operands >= maxArguments) return [];
  const isFirst = maxArguments === null || operands === 0;
  // After a flag, a list is more likely than a command.
  const names = path === '' && words.length > 0 ? [] : subcommands.map(({ name, description }) => [name, description]);
  const listed = isFirst ? [...names, ...argument.choices.map((choice) => [choice])] : [];
  // A list may be given in place of a command, but many files would hide the commands.
  if (listed.length > 0) return [...listed.filter(isTyped), ...(path === '' && current !== '' ? files : [])];
  if (argument.dynamic !== null && isFirst) {
    return (await dynamicLines(context, argument.dynamic, words)).filter(isTyped);
  }
  return path === 'help' || path.endsWith(' help') ? [] : files;
}

/** The words before the one that is typed, and for `--level=s` the flag. bash makes three words of it. */
function splitValue(typed: readonly string[]) {
  const [current = '', before, flag = ''] = [...typed].reverse();
  const [, attached, value = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  const words = typed.slice(0, -1);
  if (attached !== undefined) return { words, flag: attached, current: value, prefix: `${attached}=` };
  if (current === '=') return { words, flag: before ?? '', current: '', prefix: '' };
  if (before === '=') return { words, flag, current, prefix: '' };
  return { words, flag: null, current, prefix: '' };
}

/** The command of a line, which may be left out before a list or an address, and the number of its arguments so far. */
function findPoint(points: readonly CompletionPoint[], words: readonly string[]) {
  const pointAt = (path: string) => points.find((point) => point.path === path);
  let point = pointAt('');
  let at = -1;
  for (const [index, word] of words.entries()) {
    const next = pointAt(`${point?.path ?? ''} ${resolveAlias(word)}`.trim());
    if (next !== undefined) [point, at] = [next, index];
  }
  if (at === -1) {
    const implied = words.map((word) => (existsSync(word) ? 'bulk' : word.includes('@') ? 'validate' : ''));
    point = pointAt(implied.find((name) => name !== '') ?? '');
  }
  if (point === undefined) throw new Failure('internal', 'There is no program to complete.');
  const { flags } = point;
  const takesValue = (word = ''): boolean => flags.some(({ names, takesValue }) => takesValue && names.includes(word));
  const operands = words
    .slice(at + 1)
    .filter((word, index, all) => !word.startsWith('-') && !takesValue(all[index - 1]));
  return { point, operands: operands.length };
}

function dynamicLines(context: Context, kind: DynamicKind, words: readonly string[]): Promise<string[][]> {
  const readers = {
    jobs: () => jobLines(context),
    columns: () => columnLines(words),
    profiles: () => profileLines(context),
    keys: () => keyLines(context),
  };
  return readers[kind]().catch(() => []);
}

/** The jobs of this machine; no remote service is contacted. */
async function jobLines(context: Context): Promise<string[][]> {
  const settings = { ...context.settings(), mode: 'local' as const };
  await stat(settings.dataDir);
  const service = await context.openService(settings);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { jobs } = await service.listJobs({ skip: 0, limit: maxJobs }, { signal });
    const lines = jobs.map(({ id, status, filename = '' }) => [shortId(id), `${status} ${filename}`.trim()]);
    return lines.length === 0 ? [] : [['latest', 'the newest one'], ...lines];
  } finally {
    await service.close();
  }
}

/** The keys that are not revoked. */
async function keyLines(context: Context): Promise<string[][]> {
  await stat(context.settings().dataDir);
  const keys = await (await context.keys()).list();
  return keys.filter(({ revoked_at }) => revoked_at === null).map(({ id, name }) => [shortId(id), name]);
}

async function profileLines({ environment }: Context): Promise<string[][]> {
  const { stored } = readSettingsFile(findFolders(environment).configFile);
  return [...new Set([defaultProfile, ...Object.keys(stored.profiles)])].map((name) => [name]);
}

async function columnLines(words: readonly string[]): Promise<string[][]> {
  for (const path of words) {
    const isFile = (await stat(path).catch(() => null))?.isFile() === true;
    if (!isFile) continue;
    const table = await openTable({ path });
    await table.close();
    return table.columns.map((name) => [name]);
  }
  return [];
}
