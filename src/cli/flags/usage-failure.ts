import type { Command, CommanderError } from 'commander';
import { Failure } from '../../model/failure.js';
import { nearestName } from '../../model/nearest-name.js';
import { fullCommandName } from './find-command.js';
import { replacementFor, settingFor } from './removed-flags.js';

/** Why a command line cannot be read, with a next step. `commandsWith` names the commands that have a flag. */
export function usageFailure(
  error: CommanderError,
  parsed: Command,
  commandsWith: (flag: string) => readonly string[],
): Failure {
  const command = fullCommandName(parsed);
  const [sentence = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  // The value may be a key.
  const safeSentence = sentence.replace(/^(unknown option '-[^=@']*)=[^']*'/, "$1'");
  const message = `${safeSentence.charAt(0).toUpperCase()}${safeSentence.slice(1)}`;
  if (/^Unknown option '--?(?:api)?[-_]?key'/i.test(message)) {
    return new Failure('usage', 'A key does not belong on a command line, where others can read it.', {
      hint: 'Store it with "mailvet login", or "mailvet login --key-stdin" in a script, or set MAILVET_API_KEY.',
    });
  }
  const unknownFlag = /^unknown option '(--?[^']+)'/.exec(sentence)?.[1] ?? '';
  const bare = unknownFlag.replace(/=(?!provider$).*$/s, '');
  if (bare !== '' && !parsed.options.some(({ long }) => long === bare)) {
    const name = command.replace(/^mailvet ?/, '');
    const replacement = replacementFor(name, unknownFlag);
    const owners = replacement === null ? commandsWith(bare) : [];
    const elsewhere = owners.length === 0 ? null : `That is a flag of: ${owners.slice(0, 3).join(', ')}`;
    const hint = replacement ?? elsewhere ?? settingFor(name, bare);
    if (hint !== null) return new Failure('usage', `${command} has no ${bare}.`, { hint });
  }
  const address = /^Unknown option '(-.*@.*)'/.exec(message)?.[1];
  if (address !== undefined) {
    return new Failure('usage', `"${address}" starts with a hyphen, so it is read as an option.`, {
      hint: `Put -- before it: ${command} -- ${address}`,
    });
  }
  const word = error.code === 'commander.unknownCommand' ? /'(.*)'/.exec(sentence)?.[1] : undefined;
  if (word !== undefined) {
    const gone = replacementFor(`${command} ${word}`.replace(/^mailvet /, ''), '');
    return new Failure('usage', `${message}.`, { hint: gone ?? hintForCommand(word, parsed) });
  }
  if (error.code === 'commander.excessArguments' && parsed.name() === 'doctor') {
    return new Failure('usage', message, { hint: `Name the host with: ${command} --probe HOST` });
  }
  const missing = /^missing required argument '(\w+)'/.exec(sentence)?.[1];
  const choices = parsed.registeredArguments.find((argument) => argument.name() === missing)?.argChoices;
  if (choices !== undefined) return new Failure('usage', `${message}.`, { hint: `Allowed: ${choices.join(', ')}.` });
  const assigned = /^unknown option '(--[^=']+)=/.exec(sentence)?.[1];
  if (assigned !== undefined) return unexpectedValue(assigned, message, parsed);
  const valueFailure = error.code === 'commander.invalidArgument' ? invalidValue(message) : null;
  if (valueFailure !== null) return valueFailure;
  return new Failure('usage', message.endsWith('.') ? message : `${message}.`, {
    hint: suggestion?.replace(/^\(|\)$/g, '') ?? `See: ${command} --help`,
  });
}

/** Words of other programs for our commands. */
const synonyms: Record<string, readonly string[]> = {
  validate: ['check', 'verify'],
  get: ['show', 'status', 'info', 'view'],
  list: ['ls'],
  delete: ['rm', 'remove', 'purge'],
  revoke: ['rm', 'remove', 'delete'],
  create: ['add', 'new'],
  cancel: ['stop', 'kill', 'abort'],
  results: ['download', 'fetch', 'output', 'export'],
};

/** The group that has the command, or the nearest name. */
function hintForCommand(word: string, parent: Command): string {
  const children = parent.createHelp().visibleCommands(parent);
  const groups = children.filter(({ commands }) => commands.some((command) => command.name() === word));
  const full = groups.map((group) => `${fullCommandName(group)} ${word}`);
  const names = children.map((child) => child.name());
  const synonym = names.find((name) => synonyms[name]?.includes(word));
  if (synonym !== undefined) return `Did you mean ${synonym}?`;
  const nearest = nearestName(word, names);
  if (full.length === 0 && nearest === null) return `See: ${fullCommandName(parent)} --help`;
  return `Did you mean ${full.length > 0 ? full.join(' or ') : nearest}?`;
}

/** A value that was given to a flag that takes none, or to an unknown flag. */
function unexpectedValue(flag: string, message: string, command: Command): Failure {
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
  if (flags.includes(flag)) return new Failure('usage', `${flag} takes no value.`, { hint: `Use ${flag} alone.` });
  const nearest = nearestName(flag, flags);
  return new Failure('usage', `${message}.`, {
    hint: nearest === null ? `See: ${fullCommandName(command)} --help` : `Did you mean ${nearest}?`,
  });
}

/** A value that a flag or an argument does not take, with the nearest one that it takes. */
function invalidValue(message: string): Failure | null {
  const forFlag = /^Option '(?:-\w, )?(--?[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s.exec(message);
  const forArgument = /^Command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)$/s.exec(message);
  const [name, value, allowed] = forFlag?.slice(1) ?? [forArgument?.[2], forArgument?.[1], forArgument?.[3]];
  if (name === undefined || value === undefined || allowed === undefined) return null;
  const choices = /^Allowed choices are (.*)\.$/.exec(allowed)?.[1]?.split(', ') ?? [];
  const nearest = nearestName(value.toLowerCase(), choices);
  return new Failure('usage', `${name} cannot be "${value.slice(0, 80)}".`, {
    hint: `${nearest === null ? '' : `Did you mean ${nearest}? `}${allowed}`,
  });
}
