import { existsSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { bounceFields, bounceKinds } from '../../../model/bounce.js';
import { rowStatuses } from '../../../model/job.js';
import { knownCodes } from '../../../model/text/sentences.js';
import { statuses } from '../../../model/verdict.js';
import { definitionOf, settingFields } from '../../../settings/definitions.js';
import { findFolders } from '../../../settings/folders.js';
import { defaultProfile, readSettingsFile } from '../../../settings/read-file.js';
import type { Context } from '../../context.js';
import { fieldNames, jobFields } from '../../flags/field-names.js';
import { groups } from '../../flags/flags.js';
import { topicNames } from '../../render/help-topics.js';
import { sanitize } from '../../terminal/sanitize.js';

/** Completions, each with its description. */
type Lines = readonly (readonly string[])[];

/** Prints one completion of the last word per line, with a description after a tab. Prints nothing on an error. */
export async function runComplete(context: Context, program: Command, typed: readonly string[]): Promise<number> {
  let lines: Lines = [];
  try {
    lines = completions(context, program, typed.map(unquote));
  } catch {
    // Such as a settings file that cannot be read.
  }
  await context.terminal.stdout.write(lines.map((line) => `${line.map(sanitize).join('\t')}\n`).join(''));
  return 0;
}

const files: Lines = [['files:']];

/** bash leaves quotes and escapes in the words. */
function unquote(word: string): string {
  const [, quoted] = /^['"](.*?)['"]?$/s.exec(word) ?? [];
  return quoted ?? word.replace(/\\(.)/gs, '$1');
}

function completions(context: Context, program: Command, typed: readonly string[]): Lines {
  const { words, flag, current, prefix } = splitValue(typed);
  const place = findPlace(program, words);
  const isTyped = ([value = '']: readonly string[]): boolean => value.startsWith(current);
  const named = flag ?? words.at(-1) ?? '';
  const option = place.options.find(({ short, long }) => short === named || long === named);
  if (option !== undefined && (takesValue(option) || (flag !== null && option.argChoices !== undefined))) {
    const values = valueLines(context, option, place.path, current);
    return values?.filter(isTyped).map(([value = '', ...more]) => [`${prefix}${value}`, ...more]) ?? files;
  }
  if (current.startsWith('-')) {
    const flags = place.options.flatMap(({ short, long, description }) =>
      [short, long].flatMap((name) => (name == null ? [] : [[name, description]])),
    );
    return flags.filter(isTyped);
  }
  const listed = argumentLines(program, place, words);
  // A list may be given in place of a command, but many files would hide the commands.
  const mayBeList = place.command === program && current !== '';
  return listed === null ? files : [...listed.filter(isTyped), ...(mayBeList ? files : [])];
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

/** Where a line ends. */
interface Place {
  command: Command;
  /** The command that it belongs to. */
  group: Command;
  /** The command without the program, such as `config set`; empty for the program itself. */
  path: string;
  options: readonly Option[];
  /** How many arguments there are so far. */
  operands: number;
}

function findPlace(program: Command, words: readonly string[]): Place {
  let [group, command, at] = [program, program, -1];
  const path: string[] = [];
  for (const [index, word] of words.entries()) {
    const next = childrenOf(command).find((child) => child.name() === word);
    if (next === undefined) continue;
    [group, command, at] = [command, next, index];
    path.push(word);
  }
  // Before a list or an address, the command may be left out.
  const implied = words.some((word) => existsSync(word)) ? 'bulk' : words.join('').includes('@') ? 'validate' : '';
  if (at === -1) command = program.commands.find((each) => each.name() === implied) ?? program;
  const options = visibleOptions(command);
  const isValue = (word = ''): boolean =>
    options.some((option) => takesValue(option) && [option.short, option.long].includes(word));
  const operands = words.slice(at + 1).filter((word, index, all) => !word.startsWith('-') && !isValue(all[index - 1]));
  return { command, group, path: path.join(' '), options, operands: operands.length };
}

function childrenOf(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** Brief pages leave out the flags of all commands. */
function visibleOptions(command: Command): Option[] {
  const options = command.options.filter(({ hidden, helpGroupHeading: group }) => !hidden || group === groups.general);
  return [...new Set([...options, ...command.createHelp().visibleOptions(command)])];
}

/** Flags that take a comma-separated list; its last item is completed. */
const listChoices: Record<string, readonly string[]> = {
  '--only': rowStatuses,
  '--fail-on': rowStatuses,
  '--fields': fieldNames,
};

/** The lists of commands whose rows are not results. */
const otherListChoices: Record<string, typeof listChoices> = {
  bounces: { '--only': bounceKinds, '--fields': bounceFields },
  'jobs results': { ...listChoices, '--fields': jobFields },
};

/** What the value of a flag may be; null for file names. */
function valueLines(context: Context, { long = '', argChoices }: Option, path: string, current: string): Lines | null {
  const profiles = () => readSettingsFile(findFolders(context.environment).configFile).stored.profiles;
  if (long === '--profile') return [...new Set([defaultProfile, ...Object.keys(profiles())])].map((name) => [name]);
  const choices = argChoices ?? (otherListChoices[path] ?? listChoices)[long];
  if (choices === undefined) return null;
  const done = Object.hasOwn(listChoices, long) ? current.split(',').slice(0, -1) : [];
  return choices.filter((choice) => !done.includes(choice)).map((choice) => [[...done, choice].join(',')]);
}

/** What the next argument may be; null for file names. */
function argumentLines(
  program: Command,
  { command, group, path, operands }: Place,
  words: readonly string[],
): Lines | null {
  const previous = words.at(-1) ?? '';
  if (command.name() === 'help') {
    if (operands === 0) return [...namesOf(group), ...(group === program ? topicNames.map((name) => [name]) : [])];
    return namesOf(childrenOf(group).find((child) => child.name() === previous));
  }
  // After a flag, a list is more likely than a command.
  if (command === program && words.length > 0) return null;
  const children = childrenOf(command);
  if (children.length > 0) return children.map((child) => [child.name(), child.summary() || child.description()]);
  const [first] = command.registeredArguments;
  const listed = first?.argChoices?.map((choice) => [choice]) ?? listedArguments[path]?.();
  if (listed === undefined) return null;
  if (operands >= command.registeredArguments.length) return [];
  if (operands === 0) return listed;
  const setting = settingFields.map(definitionOf).find(({ key }) => key === previous);
  return setting?.kind.choices?.map((choice) => [choice]) ?? null;
}

/** The names of the commands of a group. */
function namesOf(group: Command | undefined): string[][] {
  const names = group === undefined ? [] : childrenOf(group).map((child) => child.name());
  return names.filter((name) => name !== 'help').map((name) => [name]);
}

function settingKeys(): string[][] {
  return settingFields.map((field) => [definitionOf(field).key]);
}

const latest = (): Lines => [['latest', 'the newest job']];

/** Arguments that commander does not check, because the commands report a bad one better. */
const listedArguments: Record<string, () => Lines> = {
  explain: () => {
    const codes = [...statuses, ...knownCodes().map(({ code }) => code)];
    return [...new Set(codes)].filter((word) => word !== '').map((word) => [word]);
  },
  'config get': settingKeys,
  // A secret does not belong on a command line.
  'config set': () => settingFields.map(definitionOf).flatMap(({ key, secret }) => (secret ? [] : [[key]])),
  'config unset': settingKeys,
  ...Object.fromEntries(['get', 'results', 'cancel', 'resume', 'delete'].map((name) => [`jobs ${name}`, latest])),
};
