import type { Command } from 'commander';
import { knownCodes } from '../../../model/text/sentences.js';
import { statuses } from '../../../model/verdict.js';
import { definitionOf, settingFields } from '../../../settings/definitions.js';
import { fieldNames } from '../../flags/status-and-field-lists.js';

/** What only the program knows: it is started to list them. */
export type DynamicKind = 'jobs' | 'columns';

/** One command as completion sees it. */
export interface CompletionPoint {
  /** The words that lead here, as `config set`; empty for the program itself. */
  path: string;
  words: { word: string; about: string }[];
  flags: {
    names: string[];
    about: string;
    takesValue: boolean;
    choices: readonly string[];
    listed: DynamicKind | null;
  }[];
  /** What the argument may be, where that is known. */
  choices: readonly string[];
  /** What the program itself can list for the argument. */
  listed: DynamicKind | null;
  /** What may follow an argument, as the levels after `config set level`. */
  after: { word: string; choices: readonly string[] }[];
}

/** Every command with what may follow it, the program itself first. */
export function completionPoints(command: Command, path = '', beside: readonly Command[] = []): CompletionPoint[] {
  const helped: KnownArgument = { choices: beside.map((each) => each.name()) };
  const known = command.name() === 'help' ? helped : knownArguments()[path];
  const spot: CompletionPoint = {
    path,
    words: shown(command).map((child) => ({ word: child.name(), about: child.summary() || child.description() })),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({
        names: [option.short, option.long].filter((name) => name != null),
        about: option.description,
        takesValue: option.required || option.optional,
        choices: option.argChoices ?? listChoices[option.long ?? ''] ?? [],
        listed: option.long === '--column' ? ('columns' as const) : null,
      })),
    choices: command.registeredArguments[0]?.argChoices ?? known?.choices ?? [],
    listed: known?.listed ?? null,
    after: known?.after ?? [],
  };
  const children = shown(command).flatMap((child) =>
    completionPoints(child, `${path} ${child.name()}`.trim(), shown(command)),
  );
  return [spot, ...children];
}

/** Flags that take several of these, of which the first is completed. */
const listChoices: Record<string, readonly string[]> = {
  '--only': statuses,
  '--fail-on': statuses,
  '--fields': fieldNames,
};

type KnownArgument = Partial<Pick<CompletionPoint, 'choices' | 'listed' | 'after'>>;

/** Arguments that commander need not know the choices of, since their own Failures say more. */
function knownArguments(): Record<string, KnownArgument> {
  const settings = settingFields.map(definitionOf);
  const keys = settings.map(({ key }) => key);
  const values = settings.flatMap(({ key, kind }) =>
    kind.choices === undefined ? [] : [{ word: key, choices: kind.choices }],
  );
  return {
    explain: { choices: [...statuses, ...knownCodes().map(({ code }) => code)].filter((code) => code !== '') },
    'config get': { choices: keys },
    'config set': { choices: keys, after: values },
    'config unset': { choices: keys },
    ...Object.fromEntries(['get', 'results', 'cancel', 'resume'].map((name) => [`jobs ${name}`, { listed: 'jobs' }])),
  };
}

/** The commands that help shows: internal ones are none of the user's business. */
function shown(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}
