import { statSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { asFailure, Failure } from '../model/failure.js';
import { defineValidate } from './commands/validate/define.js';
import type { Commands, Launch, Runtime } from './context.js';
import { findCommand, fullCommandName, requireCommand, withImpliedCommand } from './flags/find-command.js';
import { examples, readCommonFlags, refuseSecondFiles } from './flags/flags.js';
import { formatKind } from './render/rows/formats.js';
import { arrangeHelp, fitHelp, helpStyle } from './render/style/help-style.js';
import { ignoreWriteError, runCommand, showFailure } from './run-command.js';
import { ClosedPipe, type Sink } from './terminal/terminal.js';

/** Runs one command line and returns its exit status. */
export async function runProgram(typed: readonly string[], runtime: Runtime): Promise<number> {
  let args = typed;
  let status = 0;
  const launch: Launch = async (flags, work, change) => {
    status = await runCommand({ ...runtime, args: typed }, { ...readCommonFlags(flags), ...change }, work);
  };
  const help: string[] = [];
  let program = new Command();
  try {
    // The other commands are in a file of their own, which the commonest one does not need.
    const commands = typed[0] === 'validate' ? { validate: defineValidate } : await allCommands();
    args = withImpliedCommand(typed, {
      commands: Object.keys(commands),
      hasInput: () => runtime.terminal.stdin.isPiped,
      isFile,
      optionsOf: (name) =>
        commandsBelow(buildProgram(commands, launch, runtime, name)).flatMap(({ options }) => options),
    });
    const topics = args[0] === 'help' ? await import('./render/help-topics.js') : null;
    const isTopic = args.length === 2 && !Object.hasOwn(commands, args[1] ?? '');
    const topic = isTopic ? topics?.renderTopic(args[1] ?? '', widthOf(runtime.terminal.stdout)) : null;
    if (topic != null) {
      await runtime.terminal.stdout.write(topic);
      return 0;
    }
    program = buildProgram(commands, launch, runtime, args[0], help);
    const target = helpTarget(program, args, Object.keys(commands));
    if (target === null) await program.parseAsync(args, { from: 'user' });
    else requireCommand(program, target, topics?.topicNames).help();
    return status;
  } catch (thrown) {
    return await reportParseError(thrown, program, args, runtime, help);
  }
}

async function allCommands(): Promise<Commands> {
  return (await import('./commands/all.js')).commands;
}

function isFile(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFile() || stats.isFIFO();
  } catch {
    return false;
  }
}

/**
 * The command of `help jobs get` or `jobs help get`, null for other command lines. For a misspelled command, commander
 * would show the help of its parent.
 */
function helpTarget(program: Command, args: readonly string[], commands: readonly string[]): string[] | null {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first = '', second, ...rest] = words;
  if (first === 'help') return words.slice(1);
  const wantsHelp = args.includes('--help') || args.includes('-h');
  if (wantsHelp && first !== '' && !args[0]?.startsWith('-') && !commands.includes(first)) return [first];
  return second === 'help' && findCommand(program, [first]).commands.length > 0 && first !== ''
    ? [first, ...rest]
    : null;
}

function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)];
}

/** The requested command only, since defining all of them slows the start; all commands if it is unknown. */
export function buildProgram(
  commands: Commands,
  launch: Launch,
  { terminal }: Pick<Runtime, 'terminal'>,
  requested?: string,
  help: string[] = [],
): Command {
  const program = new Command('mailvet')
    .description('Vets email addresses: is this one real, and may I write to it?')
    .helpOption('-h, --help', 'one screen of help; --help shows all of it')
    .exitOverride()
    .configureHelp(helpStyle)
    .configureOutput({
      writeOut: (text) => help.push(fitHelp(text, widthOf(terminal.stdout))),
      writeErr: (text) => help.push(fitHelp(text, widthOf(terminal.stderr))),
      outputError: () => {},
      getOutHelpWidth: () => widthOf(terminal.stdout),
      getErrHelpWidth: () => widthOf(terminal.stderr),
      getOutHasColors: () => terminal.stdout.color,
      getErrHasColors: () => terminal.stderr.color,
    });
  const defineRequested =
    requested !== undefined && Object.hasOwn(commands, requested) ? commands[requested] : undefined;
  // Completion needs all commands.
  if (defineRequested !== undefined && requested !== 'complete') {
    program.helpCommand(false);
    defineRequested(program, launch);
    return finishProgram(program);
  }
  program
    .version(__VERSION__, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', rootHelp);
  for (const define of Object.values(commands)) define(program, launch);
  return finishProgram(program);
}

/** Longer lines are hard to read. */
function widthOf({ columns }: Sink): number {
  return Math.min(columns, 120);
}

/** Describes `jobs help` in the same words as `help`, and refuses a second file for one flag. */
function finishProgram(program: Command): Command {
  for (const command of program.commands) {
    for (const each of commandsBelow(command)) refuseSecondFiles(each);
    if (command.commands.length > 0) command.helpCommand('help [command]', 'show the help of a command');
  }
  return program;
}

const rootHelp = `${examples(
  ['mailvet validate ada@python.org', 'one address, and why'],
  ['mailvet --level syntax ada@python.org', 'the same without asking any server'],
  ['mailvet bulk list.csv -o vetted.csv', 'a list, every column kept'],
  ['cat list.txt | mailvet bulk --format plain --only valid', 'a filter in a pipe'],
)}

Exit status:
  0 done (validate: all valid)      1 answered, and some address is not valid
  2 usage or unreadable input       3 no valid key, or no credits
  4 network or remote trouble       5 not found
  6 storage                         70 a bug in mailvet
  130 interrupted

Every command takes: --profile NAME, a named set of stored settings; --set
KEY=VALUE, any setting for this call; -q, no notes; -v, say more; --no-color.

Settings come from flags, else MAILVET_… variables, else "mailvet config set",
else defaults.

More: mailvet help exit-codes, formats, settings or environment`;

/** Shows help, or why the command line cannot be read; returns the exit status. */
async function reportParseError(
  thrown: unknown,
  program: Command,
  args: readonly string[],
  runtime: Runtime,
  help: string[],
): Promise<number> {
  const flags = { json: wantsJson(args), verbose: false, quiet: false };
  const show = (failure: Failure): Promise<number> => showFailure(failure, runtime, flags, (text) => text);
  if (thrown instanceof Failure) return show(thrown);
  if (!(thrown instanceof CommanderError)) throw thrown;
  if (thrown.exitCode === 0 || args.length === 0) {
    // --help, --version, or no arguments.
    const command = findCommand(program, args);
    const name = fullCommandName(command);
    const isHelp = thrown.code !== 'commander.version';
    const isShort = args.length === 0 || (args.includes('-h') && !args.includes('--help'));
    const text = isHelp ? arrangeHelp(help.join(''), { name, isShort }) : help.join('');
    return runtime.terminal.stdout.write(text).then(
      () => 0,
      (error: unknown) => (error instanceof ClosedPipe ? 0 : show(asFailure(error))),
    );
  }
  if (thrown.code === 'commander.help') {
    // A group without a command exits like the program without one.
    const name = fullCommandName(findCommand(program, args));
    await runtime.terminal.stdout.write(arrangeHelp(help.join(''), { name, isShort: true })).catch(ignoreWriteError);
    return 0;
  }
  const { usageFailure } = await import('./flags/usage-failure.js');
  const commands = await allCommands();
  const commandsWith = (flag: string): string[] =>
    commandsBelow(buildProgram(commands, async () => {}, runtime))
      .filter(({ options }) => options.some(({ long, short, hidden }) => !hidden && [long, short].includes(flag)))
      .map(fullCommandName);
  return show(usageFailure(thrown, findCommand(program, args), commandsWith));
}

function wantsJson(args: readonly string[]): boolean {
  const formats = args.map((arg, index) => (arg === '--format' ? args[index + 1] : /^--format=(.*)$/.exec(arg)?.[1]));
  return args.includes('--json') || formats.some((format) => formatKind(format) === 'json');
}
