import { Option } from 'commander';
import { expect, test } from 'vitest';
import { withImpliedCommand } from '../../../src/cli/flags/find-command.js';

const commands = ['validate', 'bulk', 'upload', 'jobs'];
const shared = ['-q, --quiet', '-o, --output <file>', '--json', '--no-color', '--level <level>', '--profile <name>'];
const optionsOf = (command: string) =>
  [...shared, ...(command === 'upload' ? ['-y, --yes', '--wait'] : command === 'bulk' ? ['--clean'] : [])].map(
    (flags) => new Option(flags),
  );
const interpret = (args: string[], { piped = false } = {}) =>
  withImpliedCommand(args, {
    commands,
    optionsOf,
    hasInput: () => piped,
    isFile: (path) => path === 'list.csv' || path === 'odd@name',
  }).join(' ');

test.each([
  { name: 'an address is validated', args: ['jane@gmail.com'], want: 'validate jane@gmail.com' },
  {
    name: 'an address with flags is validated',
    args: ['jane@gmail.com', '--json'],
    want: 'validate jane@gmail.com --json',
  },
  { name: 'several addresses are validated', args: ['a@b.co', 'c@d.co'], want: 'validate a@b.co c@d.co' },
  { name: 'a file is vetted', args: ['list.csv', '-o', 'out.csv'], want: 'bulk list.csv -o out.csv' },
  { name: 'a file with an @ in its name', args: ['odd@name'], want: 'bulk odd@name' },
  { name: 'flags before an address', args: ['--level', 'syntax', 'a@b.co'], want: 'validate --level syntax a@b.co' },
  { name: 'flags before a file', args: ['-q', 'list.csv'], want: 'bulk -q list.csv' },
  {
    name: 'the address of a flag before a file',
    args: ['--set', 'mail_from=me@b.co', '-q', 'list.csv'],
    want: 'bulk --set mail_from=me@b.co -q list.csv',
  },
  {
    name: 'a file of a flag before an address',
    args: ['--set', 'deny_list=list.csv', 'a@b.co'],
    want: 'validate --set deny_list=list.csv a@b.co',
  },
  { name: 'a flag before a command', args: ['-q', 'bulk', 'list.csv'], want: 'bulk list.csv -q' },
  {
    name: 'a flag with a value before a command',
    args: ['--level', 'syntax', 'validate', 'a@b.co'],
    want: 'validate a@b.co --level syntax',
  },
  { name: 'flags before a command of a group', args: ['--no-color', 'jobs', 'list'], want: 'jobs list --no-color' },
  { name: 'flags before an alias', args: ['--json', 'check', 'a@b.co'], want: 'validate a@b.co --json' },
  {
    name: 'flags before a command with --',
    args: ['-q', 'bulk', '--', '-odd.csv'],
    want: 'bulk -q -- -odd.csv',
  },
  {
    name: 'a value that is named like a command',
    args: ['--profile', 'jobs', 'a@b.co'],
    want: 'validate --profile jobs a@b.co',
  },
  { name: 'a switch of the command', args: ['--wait', 'upload', 'list.csv'], want: 'upload list.csv --wait' },
  { name: 'short switches together', args: ['-qy', 'upload', 'list.csv'], want: 'upload list.csv -qy' },
  { name: 'a flag with its value after =', args: ['--level=dns', 'bulk', '-'], want: 'bulk - --level=dns' },
  { name: 'a value joined with its flag', args: ['-oa.csv', 'bulk', 'list.csv'], want: 'bulk list.csv -oa.csv' },
  {
    name: 'a flag of the command that lacks its value takes no other flag',
    args: ['-q', 'bulk', 'list.csv', '-o'],
    want: 'bulk list.csv -q -o',
  },
  { name: 'flags before a mistyped command', args: ['--json', 'job', 'list'], want: 'job list --json' },
  { name: 'a flag with a value before one', args: ['--level', 'dns', 'bulkk'], want: 'bulkk --level dns' },
  { name: 'a flag before help', args: ['-q', 'help'], want: 'help -q' },
  { name: 'flags of validate without an address', args: ['--level', 'syntax'], want: 'validate --level syntax' },
  { name: 'flags of bulk without a list', args: ['--clean'], want: 'bulk --clean' },
  { name: 'unknown flags alone stay', args: ['--wait'], want: '--wait' },
  { name: 'check', args: ['check', 'a@b.co'], want: 'validate a@b.co' },
  { name: 'verify', args: ['verify', 'a@b.co'], want: 'validate a@b.co' },
  { name: 'version', args: ['version'], want: '--version' },
  { name: 'a command stays', args: ['jobs', 'list'], want: 'jobs list' },
  { name: 'a mistyped command stays, and gets a suggestion', args: ['validat'], want: 'validat' },
  { name: 'an empty command line stays', args: [], want: '' },
  { name: 'help stays', args: ['--help'], want: '--help' },
])('$name', ({ args, want }) => {
  expect(interpret(args)).toBe(want);
});

test.each([
  { name: 'only a pipe', args: [], want: 'bulk' },
  { name: 'a pipe with flags', args: ['--only', 'valid'], want: 'bulk --only valid' },
  { name: 'a pipe next to an address', args: ['--json', 'a@b.co'], want: 'validate --json a@b.co' },
  { name: 'a pipe named by -', args: ['-'], want: 'bulk -' },
  { name: 'help is shown, piped or not', args: ['--help'], want: '--help' },
  { name: 'a command stays a command', args: ['validate', '-'], want: 'validate -' },
])('piped: $name', ({ args, want }) => {
  expect(interpret(args, { piped: true })).toBe(want);
});

test.each([
  { args: ['https://example.org/list.csv'], want: /not web addresses/ },
  { args: ['-q', 'missing.csv'], want: /There is no file missing\.csv/ },
  { args: ['missing.csv'], want: /There is no file missing\.csv/ },
])('refuses $args', ({ args, want }) => {
  expect(() => interpret(args)).toThrow(want);
});

test('quotes a URL in the command that fetches it', () => {
  const hint = "Fetch it first: curl -sS 'https://example.org/?a=1&b=2' | mailvet bulk";
  expect(() => interpret(['https://example.org/?a=1&b=2'])).toThrow(expect.objectContaining({ hint }));
});
