import type { Command, Option } from 'commander';
import { bounceFields, bounceKinds } from '../../../model/bounce.js';
import { rowStatuses } from '../../../model/job.js';
import { knownCodes } from '../../../model/text/sentences.js';
import { statuses } from '../../../model/verdict.js';
import { definitionOf, settingFields } from '../../../settings/definitions.js';
import { groups } from '../../flags/flags.js';
import { fieldNames, jobFields } from '../../flags/status-and-field-lists.js';
import { topicNames } from '../../render/help-topics.js';

/** Values that a script gets by running `mailvet complete`. */
export type DynamicKind = 'jobs' | 'columns' | 'profiles' | 'keys';

/** What completes a value: choices, or a dynamic list; if there is neither, file names. */
interface Values {
  choices: readonly string[];
  dynamic: DynamicKind | null;
}

/** One command with all that may follow it. */
export interface CompletionPoint {
  /** The command without the program, such as `config set`; empty for the program itself. */
  path: string;
  subcommands: { name: string; description: string }[];
  flags: (Values & { names: string[]; description: string; takesValue: boolean; isList: boolean })[];
  argument: Values;
  /** How many arguments it takes, if they are completed from a list; null: any number. */
  maxArguments: number | null;
  /** Choices for the second argument by the first one, such as the levels after `config set level`. */
  secondArguments: { first: string; choices: readonly string[] }[];
}

/** A command and its subcommands at any depth, the command itself first. */
export function completionPoints(command: Command, path = '', siblings: readonly Command[] = []): CompletionPoint[] {
  const children = command.createHelp().visibleCommands(command);
  const knownArgument = command.name() === 'help' ? helpArguments(path, siblings) : knownArguments()[path];
  const lists = otherListChoices[path] ?? listChoices;
  const point: CompletionPoint = {
    path,
    subcommands: children.map((child) => ({ name: child.name(), description: child.summary() || child.description() })),
    flags: visibleFlags(path === '' ? [command, ...shorthandCommands(command)] : [command]).map((option) => ({
      names: [option.short, option.long].filter((name) => name != null),
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? lists[option.long ?? ''] ?? [],
      isList: Object.hasOwn(listChoices, option.long ?? ''),
      dynamic: dynamicFlags[option.long ?? ''] ?? null,
    })),
    argument: {
      choices: command.registeredArguments[0]?.argChoices ?? knownArgument?.choices ?? [],
      dynamic: knownArgument?.dynamic ?? null,
    },
    maxArguments: maxArgumentsOf(command, knownArgument),
    secondArguments: knownArgument?.secondArguments ?? [],
  };
  return [point, ...children.flatMap((child) => completionPoints(child, `${path} ${child.name()}`.trim(), children))];
}

function maxArgumentsOf(command: Command, known: KnownArguments | undefined): number | null {
  const { registeredArguments } = command;
  const isListed = known !== undefined || registeredArguments[0]?.argChoices !== undefined;
  const isOpen = command.name() === 'help' || registeredArguments.some(({ variadic }) => variadic);
  return isListed && !isOpen ? registeredArguments.length : null;
}

/** The commands that may be left out, also after their flags: `mailvet --level syntax ada@python.org`. */
function shorthandCommands(program: Command): Command[] {
  return program.commands.filter((child) => ['validate', 'bulk'].includes(child.name()));
}

/** The flags of some commands, each once. */
function visibleFlags(commands: readonly Command[]): Option[] {
  // Brief pages leave out the flags of all commands.
  const isKnown = ({ hidden, helpGroupHeading }: Option): boolean => !hidden || helpGroupHeading === groups.general;
  const flags = commands.flatMap((command) => [
    ...command.options.filter(isKnown),
    ...command.createHelp().visibleOptions(command),
  ]);
  return flags.filter(({ long }, index) => flags.findIndex((other) => other.long === long) === index);
}

/** `help jobs get`, or `jobs help get`, which knows no topics. */
function helpArguments(path: string, siblings: readonly Command[]): KnownArguments {
  const namesOf = (commands: readonly Command[]): string[] =>
    commands.map((each) => each.name()).filter((name) => name !== 'help');
  if (path !== 'help') return { choices: namesOf(siblings) };
  const groups = siblings.filter((each) => each.commands.length > 0);
  return {
    choices: [...namesOf(siblings), ...topicNames],
    secondArguments: groups.map((group) => ({
      first: group.name(),
      choices: namesOf(group.createHelp().visibleCommands(group)),
    })),
  };
}

const dynamicFlags: Record<string, DynamicKind> = { '--column': 'columns', '--profile': 'profiles' };

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

type KnownArguments = Partial<Values & Pick<CompletionPoint, 'secondArguments'>>;

/** Choices that commander does not check, because the commands report a bad argument better. */
function knownArguments(): Record<string, KnownArguments> {
  const settings = settingFields.map(definitionOf);
  const codes = knownCodes().map(({ code }) => code);
  const explainable = [...new Set([...statuses, ...codes])].filter((word) => word !== '');
  const keys = settings.map(({ key }) => key);
  const secondArguments = settings.flatMap(({ key, kind }) =>
    kind.choices === undefined ? [] : [{ first: key, choices: kind.choices }],
  );
  return {
    explain: { choices: explainable },
    'config get': { choices: keys },
    // A secret does not belong on a command line.
    'config set': { choices: settings.flatMap(({ key, secret }) => (secret ? [] : [key])), secondArguments },
    'config unset': { choices: keys },
    'keys revoke': { dynamic: 'keys' },
    'keys set': { dynamic: 'keys' },
    ...Object.fromEntries(
      ['get', 'results', 'cancel', 'resume', 'delete'].map((name) => [`jobs ${name}`, { dynamic: 'jobs' }]),
    ),
  };
}
