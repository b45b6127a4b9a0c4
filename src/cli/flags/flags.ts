import { type Command, InvalidArgumentError, Option } from 'commander';
import { Failure } from '../../model/failure.js';
import { defaultNote, definitionOf, type SettingField, settingFields } from '../../settings/definitions.js';
import { type FlagValues, parseSetFlags } from '../../settings/resolve.js';
import { integer } from '../../settings/value-kinds.js';
import { formatExtensions, formatKind, formatNames } from '../render/rows/formats.js';
import { generalOptions } from '../render/style/help-style.js';

/** Headings of groups of flags. Flags without a heading come first. */
export const groups = {
  input: 'Input:',
  run: 'Run:',
  output: 'Output:',
  guards: 'Guards:',
  backEnd: 'Back end:',
  general: generalOptions,
} as const;

/** What a setting means for one command, where that differs. */
type SettingTexts = Partial<Record<SettingField, string>>;

/** Adds the flags of settings, in the present group. */
export function addSettingFlags(command: Command, fields: readonly SettingField[], texts: SettingTexts = {}): Command {
  for (const field of fields) {
    const { flag = '', kind, default: fallback, ...definition } = definitionOf(field);
    const description = texts[field] ?? definition.description;
    const option = new Option(flag, `${description}${defaultNote({ kind, default: fallback })}`);
    if (kind.choices !== undefined) option.choices([...kind.choices]);
    if (kind.list) option.argParser(collectValues);
    command.addOption(option);
  }
  return command;
}

/** Adds the flags that every command has. Flags that follow are the command's own. A brief page leaves them to `mailvet --help`. */
export function addCommonFlags(command: Command, { isBrief = true }: { isBrief?: boolean } = {}): Command {
  command
    .optionsGroup(groups.general)
    .helpOption('-h, --help', 'one screen of help; --help shows all of it')
    .option('--profile <name>', 'named set of stored settings')
    .option('--set <key=value>', 'any setting, for this call (repeatable): mailvet help settings', collectValues)
    .addOption(new Option('-q, --quiet', 'no notes, no progress').conflicts('verbose'))
    .option('-v, --verbose', 'say more on stderr, with stack traces on errors')
    .option('--no-color', 'no color')
    .optionsGroup('');
  if (!isBrief) return command;
  for (const option of command.options) if (option.helpGroupHeading === groups.general) option.hideHelp();
  return command.addHelpText('after', '\nAlso, as everywhere: --profile, --set, -q, -v, --no-color (mailvet --help).');
}

/** Adds the flags of a command that uses the bundled engine or a remote service. */
export function addServiceFlags(command: Command, options?: { isBrief?: boolean }): Command {
  command
    .optionsGroup(groups.backEnd)
    .addOption(new Option('--local', 'use the bundled engine').conflicts(['remote', 'hybrid']))
    .addOption(new Option('--remote', 'use the remote service').conflicts(['local', 'hybrid']))
    .addOption(new Option('--hybrid', 'the engine first, the service for what it cannot settle'));
  return addCommonFlags(addSettingFlags(command, ['baseUrl']), options);
}

/** What `--format`, `--json`, `--only` and `--fields` say about results. */
const resultFlags = {
  format: 'how it is printed',
  json: 'one JSON document; errors are JSON, too',
  only: ['--only <statuses>', 'only these: valid,risky,invalid,unknown; of a list also empty,suppressed'] as readonly [
    string,
    string,
  ],
  fields: 'only these fields, e.g. email,status,details.domain',
};

/** What they say about the rows of a job, which have fewer fields. */
export const jobRowFlags: typeof resultFlags = {
  ...resultFlags,
  fields: 'only these fields, e.g. email,status,did_you_mean',
};

/** Adds the flags that choose how a command prints. A terminal gets a table, a pipe one JSON object a line. */
export function addFormatFlags(
  command: Command,
  { format, json }: Pick<typeof resultFlags, 'format' | 'json'> = resultFlags,
): Command {
  return command
    .optionsGroup(groups.output)
    .addOption(new Option('--format <format>', format).choices(formatNames))
    .option('--json', json);
}

/** Adds the flags for the output of results, or of other rows. */
export function addOutputFlags(command: Command, texts: Partial<typeof resultFlags> = {}): Command {
  const { format, json, ...pick } = { ...resultFlags, ...texts };
  return addPickFlags(addOutputFlag(addFormatFlags(command, { format, json })), pick);
}

/** Adds the flags that choose rows and fields. */
export function addPickFlags(
  command: Command,
  { only, fields }: Pick<typeof resultFlags, 'only' | 'fields'> = resultFlags,
): Command {
  return command.option(...only, joinLists).option('--fields <names>', fields, joinLists);
}

/** Adds `-o`. */
export function addOutputFlag(command: Command): Command {
  const extensions = formatExtensions.filter((each) => !/jsonl|ts?v$|tab/.test(each) || each === '.csv').join(' ');
  return command.option('-o, --output <file>', `write there; ${extensions}`);
}

/** Joins the lists of a flag that was given several times. */
function joinLists(value: string, earlier?: string): string {
  return earlier === undefined ? value : `${earlier},${value}`;
}

type Example = readonly [command: string, description: string];

/** Adds examples to the help of a group of commands, and to each command its own. */
export function addGroupExamples(group: Command, lines: readonly Example[]): void {
  group.addHelpText('after', examples(...lines));
  for (const command of group.commands) {
    const ownLines = lines.filter(([text]) => `${text} `.startsWith(`mailvet ${group.name()} ${command.name()} `));
    if (ownLines.length > 0) command.addHelpText('after', examples(...ownLines));
  }
}

/** A paragraph of examples for the end of a command's help. Each command is alone on its line, for pasting. */
export function examples(...lines: readonly Example[]): string {
  const texts = lines.map(([command, description]) => `  # ${description}\n  $ ${command}`);
  return `\nExamples:\n${texts.join('\n')}`;
}

/** Parsed flags, as commander names them. */
export type RawFlags = Record<string, unknown>;

/** The flags of every command. */
export interface CommonFlags {
  settings: FlagValues;
  /** The settings of `--set`. */
  set: FlagValues;
  profile?: string | undefined;
  newProfile?: boolean;
  quiet: boolean;
  verbose: boolean;
  noColor: boolean;
  json: boolean;
  /** The format of a log on stderr, which notes and errors have, too; `auto` is JSON unless stderr is a terminal. */
  logFormat?: 'json' | 'pretty' | 'auto';
}

/** Throws if a flag is given that is for remote services only. */
export function refuseRemoteFlag(flag: string, isGiven: boolean): void {
  if (!isGiven) return;
  throw new Failure('usage', `${flag} only works with the remote service.`, {
    hint: `Add --remote, or leave out ${flag}.`,
  });
}

export function readCommonFlags(flags: RawFlags): CommonFlags {
  const settings: FlagValues = {};
  for (const field of settingFields) {
    const { flag } = definitionOf(field);
    const value = flag === undefined ? undefined : flags[new Option(flag).attributeName()];
    if (value !== undefined) settings[field] = value as string | string[];
  }
  if (flags['local'] === true) settings.mode = 'local';
  if (flags['remote'] === true) settings.mode = 'remote';
  if (flags['hybrid'] === true) settings.mode = 'hybrid';
  return {
    settings,
    set: parseSetFlags((flags['set'] as string[] | undefined) ?? []),
    profile: flags['profile'] as string | undefined,
    quiet: flags['quiet'] === true,
    verbose: flags['verbose'] === true,
    noColor: flags['color'] === false,
    json: flags['json'] === true || formatKind(flags['format'] as string | undefined) === 'json',
  };
}

/** Collects the values of a repeatable flag. */
export function collectValues(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** Refuses a flag that names one file and is given twice: the first would not be read, or not be written. */
export function refuseSecondFiles(command: Command): void {
  for (const option of command.options) {
    if (!option.flags.endsWith('<file>') || option.parseArg === collectValues) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw new Failure('usage', `${option.long} is given twice.`, { hint: 'Name one file.' });
      isGiven = true;
    });
  }
}

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A length of time such as 45s, 90m, 12h, 30d or 2w in milliseconds; a bare number is days. */
export function parseAge(text: string): number {
  const match = /^(\d{1,6})([smhdw])$/.exec(text.trim().toLowerCase());
  if (match === null)
    throw new InvalidArgumentError('Allowed: a time with its unit, such as 45s, 90m, 12h, 30d or 2w.');
  return Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0);
}

/** A length of time above zero. */
export function parseLifetime(text: string): number {
  const ms = parseAge(text);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('Allowed: a time from 1s up, such as 12h or 30d.');
}

/** A parser of whole numbers within these bounds. Its error also names what else the caller allows. */
export function parseCount(min: number, max = 999_999_999, alsoAllowed = ''): (text: string) => number {
  const { parse, allowed } = integer(min, max);
  return (text) => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`Allowed: ${allowed}${alsoAllowed}.`);
  };
}
