import type { Command } from 'commander';
import { Failure } from '../../model/failure.js';
import { nearestName } from '../../model/nearest-name.js';

/** The words of a command line that name a command, as far as they do: `jobs get` of `jobs get ID --json`. */
export function commandAt(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) break;
    command = next;
  }
  return command;
}

/** The command that all of the words name; a word that is none is the Failure `usage` with the nearest one. */
export function commandCalled(program: Command, words: readonly string[]): Command {
  const command = commandAt(program, words);
  const depth = pathOf(command).length - 1;
  const [stranger] = words.slice(depth);
  if (stranger === undefined || (depth > 0 && command.commands.length === 0)) return command;
  const names = command.createHelp().visibleCommands(command);
  const near = nearestName(
    stranger,
    names.map((child) => child.name()),
  );
  throw new Failure('usage', `Unknown command '${stranger}'.`, {
    hint: near === null ? `See: ${nameOf(command)} --help` : `Did you mean ${near}?`,
  });
}

/** A command as it is called: `mailvet jobs get`. */
export function nameOf(command: Command): string {
  return pathOf(command).join(' ');
}

function pathOf(command: Command): string[] {
  return [...(command.parent === null ? [] : pathOf(command.parent)), command.name()];
}
