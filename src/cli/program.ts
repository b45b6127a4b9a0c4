import { readPlainLine } from './commands/validate/plain-line.js';
import { runValidate, validateOptions } from './commands/validate/run.js';
import type { Host } from './context.js';
import { readCommonFlags } from './flags/read-common-flags.js';
import { runCommand } from './run-command.js';

/** Runs one command line to its exit status. */
export async function runProgram(args: readonly string[], host: Host): Promise<number> {
  const plain = readPlainLine(args);
  if (plain === null) return (await import('./command-tree.js')).runTree(args, host);
  const { emails, flags } = plain;
  return runCommand(host, readCommonFlags(flags), async (context) =>
    runValidate(context, await validateOptions(emails, flags)),
  );
}
