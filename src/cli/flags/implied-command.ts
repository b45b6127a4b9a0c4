import { Failure } from '../../model/failure.js';

/** What a command line can be held against. */
interface CommandLineContext {
  /** The names of all commands. */
  commands: readonly string[];
  /** Whether somebody pipes or redirects something in. */
  hasInput(): boolean;
  isFile(path: string): boolean;
}

const otherNames: Record<string, readonly string[]> = {
  check: ['validate'],
  verify: ['validate'],
  version: ['--version'],
};

/** Options that are about the program and not about a list. */
const aboutProgram = new Set(['-h', '--help', '-V', '--version']);

/** Words that look like the name of a list, whether or not it exists. */
const listEnding = /\.(csv|tsv|txt|json|ndjson|jsonl|gz|xlsx?|ods|vcf|eml|mbox)$/i;

/**
 * The command line with the command that was left out: an address is validated, a file is vetted, what is piped in is vetted.
 * What is none of these stays as it is, for the program to answer; a web address or a missing list is a Failure that says what to write.
 */
export function withImpliedCommand(args: readonly string[], surroundings: CommandLineContext): readonly string[] {
  const [first, ...rest] = args;
  if (first === undefined || (first.startsWith('-') && first !== '-' && !args.some((arg) => aboutProgram.has(arg)))) {
    return surroundings.hasInput() ? ['bulk', ...args] : args;
  }
  if (surroundings.commands.includes(first) || first === 'help') return args;
  if (Object.hasOwn(otherNames, first)) return [...(otherNames[first] ?? []), ...rest];
  if (first === '-') return ['bulk', ...args];
  if (/^https?:\/\//i.test(first)) {
    throw new Failure('usage', 'mailvet reads files and standard input, not web addresses.', {
      hint: `Fetch it first: curl -sS ${first} | mailvet bulk`,
    });
  }
  if (surroundings.isFile(first)) return ['bulk', ...args];
  if (listEnding.test(first)) {
    throw new Failure('usage', `There is no file ${first}.`, { hint: 'Check its name and folder.' });
  }
  return first.includes('@') ? ['validate', ...args] : args;
}
