import type { Command, Option } from 'commander';
import { Failure } from '../../model/failure.js';
import { nearestName } from '../../model/nearest-name.js';
import { shellWord } from '../../model/text/shell-word.js';

/** The command that the first words name: `jobs get` for `jobs get ID --json`, the program if there is none. */
export function findCommand(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) break;
    command = next;
  }
  return command;
}

/** The command that all words name. Throws on a word that is not a command, and suggests the nearest one, or a topic. */
export function requireCommand(program: Command, words: readonly string[], topics: readonly string[] = []): Command {
  // `help jobs help`: each command has a help of its own.
  const named = words.filter((word) => word !== 'help');
  const command = findCommand(program, named);
  const depth = pathOf(command).length - 1;
  const [unknown] = named.slice(depth);
  if (unknown === undefined || (depth > 0 && command.commands.length === 0)) return command;
  if (topics.includes(unknown)) {
    throw new Failure('usage', `'${unknown}' is a topic, not a command.`, { hint: `See: mailvet help ${unknown}` });
  }
  const visibleCommands = command.createHelp().visibleCommands(command);
  const topicsHere = depth === 0 ? topics : [];
  const nearest = nearestName(unknown, [...visibleCommands.map((child) => child.name()), ...topicsHere]);
  const topicList = topicsHere.length === 0 ? '' : `Topics: ${topics.join(', ')}. `;
  throw new Failure('usage', `Unknown command '${unknown}'.`, {
    hint: nearest === null ? `${topicList}See: ${fullCommandName(command)} --help` : `Did you mean ${nearest}?`,
  });
}

/** A command with its parents: `mailvet jobs get`. */
export function fullCommandName(command: Command): string {
  return pathOf(command).join(' ');
}

function pathOf(command: Command): string[] {
  return [...(command.parent === null ? [] : pathOf(command.parent)), command.name()];
}

const programFlags = new Set(['-h', '--help', '-V', '--version']);

const listExtension = /\.(csv|tsv|txt|json|ndjson|jsonl|gz|xlsx?|ods|vcf|vcard|ldif?|eml|mbox)$/i;

interface ImpliedContext {
  commands: readonly string[];
  hasInput(): boolean;
  isFile(path: string): boolean;
  /** The options of a command and of those below it. */
  optionsOf(command: string): readonly Option[];
}

/**
 * Adds a command that was left out: `validate` for an address, `bulk` for a file or piped input.
 * Other command lines stay unchanged. Throws on a URL and on a missing list.
 */
export function withImpliedCommand(args: readonly string[], context: ImpliedContext): readonly string[] {
  const [first] = args;
  if (first === undefined) return context.hasInput() ? ['bulk'] : args;
  if (first.startsWith('-') && first !== '-') {
    const at = operandIndex(args, context);
    if (at > 0) return withImpliedCommand(flagsLast(args, at), context);
    if (args.some((arg) => programFlags.has(arg))) return args;
    if (context.hasInput()) return ['bulk', ...args];
    // The flag may exist, and the address be missing.
    const name = ['validate', 'bulk'].find((each) => optionIn(context.optionsOf(each), first) !== undefined);
    return name === undefined ? args : [name, ...args];
  }
  if (context.commands.includes(first) || first === 'help') return args;
  if (first === '-') return ['bulk', ...args];
  if (/^https?:\/\//i.test(first)) {
    throw new Failure('usage', 'mailvet reads files and standard input, not web addresses.', {
      hint: `Fetch it first: curl -sS ${shellWord(first)} | mailvet bulk`,
    });
  }
  if (context.isFile(first)) return ['bulk', ...args];
  if (listExtension.test(first)) {
    throw new Failure('usage', `There is no file ${first}.`, { hint: 'Check the path.' });
  }
  return first.includes('@') ? ['validate', ...args] : args;
}

/** The option that a flag names: `--level=dns` is `--level`. */
function optionIn(options: readonly Option[], flag: string): Option | undefined {
  const name = flag.replace(/=.*$/s, '');
  return options.find(({ long, short }) => long === name || short === name);
}

/** True if a flag takes no value from the next word. Letters may stand together: `-qy`, or `-oout.csv`. */
function isSwitch(options: readonly Option[], flag: string): boolean {
  if (flag.includes('=')) return true;
  const flags = flag.startsWith('--') ? [flag] : [...flag.slice(1)].map((letter) => `-${letter}`);
  for (const [index, each] of flags.entries()) {
    const option = optionIn(options, each);
    if (option === undefined) return false;
    if (option.required || option.optional) return index < flags.length - 1;
  }
  return true;
}

/** The position of the first word after flags and their values: 1 in `-q list.csv`; -1 if there is none. */
function operandIndex(args: readonly string[], { commands, optionsOf }: ImpliedContext): number {
  const options = commands.flatMap(optionsOf);
  for (const [index, word] of args.entries()) {
    if (word === '--' || programFlags.has(word)) return -1;
    const previous = args[index - 1] ?? '';
    const mayBeValue = previous.startsWith('-') && !isSwitch(options, previous);
    if ((!word.startsWith('-') || word === '-') && !mayBeValue) return index;
  }
  return -1;
}

/** Moves the flags before a word behind it and those after it, but before further flags: the last one may lack its value. */
function flagsLast(args: readonly string[], at: number): string[] {
  const words = args.slice(at);
  const end = words.findIndex((word) => word.startsWith('-') && word !== '-');
  return end === -1
    ? [...words, ...args.slice(0, at)]
    : [...words.slice(0, end), ...args.slice(0, at), ...words.slice(end)];
}
