import { type Command, Option } from 'commander';
import { definitionOf, type SettingField } from '../../settings/definitions.js';
import { formatExtensions, formatNames } from '../render/rows/formats.js';

/** Settings that shape the talk with a remote service. */
const remoteSettings: readonly SettingField[] = ['baseUrl', 'retries', 'allowHttp'];

/** The headings under which help lists the flags that commands share; a command's own come first. */
export const groups = {
  input: 'Input:',
  output: 'Output:',
  checks: 'Checks:',
  network: 'Network:',
  store: 'Store:',
  remote: 'Remote service:',
  general: 'General:',
} as const;

/** Settings that say how deep and how strictly to look; what is neither these nor remote is about the network. */
const checkSettings: readonly SettingField[] = [
  'level',
  'timeoutMs',
  'concurrency',
  'greylistWaitMs',
  'ai',
  'allowList',
  'denyList',
  'replyRules',
];

function groupOf(field: SettingField): string {
  if (remoteSettings.includes(field)) return groups.remote;
  if (field === 'store' || field === 'queue') return groups.store;
  return checkSettings.includes(field) ? groups.checks : groups.network;
}

/** Adds the flags of the settings named, each as its definition has it. */
export function addSettingFlags(command: Command, fields: readonly SettingField[]): Command {
  for (const field of fields) {
    const { flag, kind, description, default: fallback } = definitionOf(field);
    if (flag === null || hasOption(command, flag)) continue;
    const shown = kind.choices !== undefined && !flag.includes('<') ? '' : defaultNote(kind.show, fallback);
    const option = new Option(flag, `${flag.startsWith('--no-') ? 'do not ' : ''}${description}${shown}`);
    if (kind.choices !== undefined && flag.includes('<')) option.choices([...kind.choices]);
    if (kind.list) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
    command.addOption(option.helpGroup(groupOf(field)));
  }
  return command;
}

/** Adds `--local`, `--remote`, `--profile` and what a remote service needs. */
export function addBackEndFlags(command: Command): Command {
  command
    .optionsGroup(groups.remote)
    .addOption(new Option('--local', 'use the bundled engine').conflicts('remote'))
    .addOption(new Option('--remote', 'use the remote service').conflicts('local'));
  addSettingFlags(command, remoteSettings);
  return command;
}

/** Adds the flags that every command has. */
export function addCommonFlags(command: Command): Command {
  return command
    .optionsGroup(groups.general)
    .helpOption('-h, --help', 'show help')
    .option('--profile <name>', 'named set of stored settings')
    .addOption(new Option('-q, --quiet', 'no notes, no progress').conflicts('verbose'))
    .option('-v, --verbose', 'say more on stderr, with stack traces on errors')
    .option('--no-color', 'no color');
}

/** Adds the flags that shape the output of results. */
export function addOutputFlags(command: Command): Command {
  return command
    .optionsGroup(groups.output)
    .addOption(new Option('--format <format>', 'how results are written').choices(formatNames))
    .option('--json', 'the same as --format json; errors are JSON, too')
    .option('-o, --output <file>', `write to a file; its extension (${formatExtensions.join(' ')}) selects the format`)
    .option('--only <statuses>', 'only rows with these: valid,invalid,risky,unknown')
    .option('--fields <names>', 'only these fields of a result, e.g. email,status,details.domain');
}

/** Adds the flag that writes a list back in its own place. */
export function addInPlaceFlag(command: Command): Command {
  return command.option('--in-place', 'write the results in place of the list, which is kept as NAME.bak');
}

/** A command line that can be pasted as it is, and what it does. */
export type Example = readonly [command: string, does: string];

/** Adds examples to the help of a group of commands, and to each of them those that are its own. */
export function addGroupExamples(group: Command, lines: readonly Example[]): void {
  group.addHelpText('after', examples(...lines));
  for (const command of group.commands) {
    const own = lines.filter(([text]) => `${text} `.startsWith(`mailvet ${group.name()} ${command.name()} `));
    if (own.length > 0) command.addHelpText('after', examples(...own));
  }
}

/** A paragraph of examples for the end of a command's help. */
export function examples(...lines: readonly Example[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const beside = lines.map(([command, does]) => `  $ ${command.padEnd(width)}  ${does}`);
  const fits = beside.every((line) => line.length <= helpWidth);
  const shown = fits ? beside : lines.map(([command, does]) => `  # ${does}\n  $ ${command}`);
  return `\nExamples:\n${shown.join('\n')}`;
}

const helpWidth = 80;

function hasOption(command: Command, flag: string): boolean {
  return command.options.some((option) => option.flags === flag);
}

function defaultNote(show: (value: never) => string, fallback: unknown): string {
  const none = fallback === null || (Array.isArray(fallback) && fallback.length === 0);
  return none ? '' : ` (default: ${show(fallback as never)})`;
}
