import { Option } from 'commander';
import { expect, test } from 'vitest';
import { withImpliedCommand } from '../../../src/cli/flags/find-command.js';

const commands = ['validate', 'bulk', 'upload', 'jobs'];
const shared = [
  '-q, --quiet',
  '-o, --output <file>',
  '--json',
  '--no-color',
  '--level <level>',
  '--profile <name>',
  '--set <key=value>',
];
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
  ['an address is validated', ['jane@gmail.com'], 'validate jane@gmail.com'],
  ['an address with flags is validated', ['jane@gmail.com', '--json'], 'validate jane@gmail.com --json'],
  ['several addresses are validated', ['a@b.co', 'c@d.co'], 'validate a@b.co c@d.co'],
  ['a file is vetted', ['list.csv', '-o', 'out.csv'], 'bulk list.csv -o out.csv'],
  ['a file with an @ in its name', ['odd@name'], 'bulk odd@name'],
  ['flags before an address', ['--level', 'syntax', 'a@b.co'], 'validate a@b.co --level syntax'],
  ['flags before a file', ['-q', 'list.csv'], 'bulk list.csv -q'],
  [
    'the address of a flag before a file',
    ['--set', 'mail_from=me@b.co', '-q', 'list.csv'],
    'bulk list.csv --set mail_from=me@b.co -q',
  ],
  [
    'a file of a flag before an address',
    ['--set', 'deny_list=list.csv', 'a@b.co'],
    'validate a@b.co --set deny_list=list.csv',
  ],
  ['a flag before a command', ['-q', 'bulk', 'list.csv'], 'bulk list.csv -q'],
  [
    'a flag with a value before a command',
    ['--level', 'syntax', 'validate', 'a@b.co'],
    'validate a@b.co --level syntax',
  ],
  ['flags before a command of a group', ['--no-color', 'jobs', 'list'], 'jobs list --no-color'],
  ['flags before a command with --', ['-q', 'bulk', '--', '-odd.csv'], 'bulk -q -- -odd.csv'],
  ['a value that is named like a command', ['--profile', 'jobs', 'a@b.co'], 'validate a@b.co --profile jobs'],
  ['a switch of the command', ['--wait', 'upload', 'list.csv'], 'upload list.csv --wait'],
  ['short switches together', ['-qy', 'upload', 'list.csv'], 'upload list.csv -qy'],
  ['a flag with its value after =', ['--level=dns', 'bulk', '-'], 'bulk - --level=dns'],
  ['a value joined with its flag', ['-oa.csv', 'bulk', 'list.csv'], 'bulk list.csv -oa.csv'],
  [
    'a flag of the command that lacks its value takes no other flag',
    ['-q', 'bulk', 'list.csv', '-o'],
    'bulk list.csv -q -o',
  ],
  ['flags before a mistyped command', ['--json', 'job', 'list'], 'job list --json'],
  ['a flag with a value before one', ['--level', 'dns', 'bulkk'], 'bulkk --level dns'],
  ['a flag before help', ['-q', 'help'], 'help -q'],
  ['flags of validate without an address', ['--level', 'syntax'], 'validate --level syntax'],
  ['flags of bulk without a list', ['--clean'], 'bulk --clean'],
  ['unknown flags alone stay', ['--wait'], '--wait'],
  ['a command stays', ['jobs', 'list'], 'jobs list'],
  ['a mistyped command stays, and gets a suggestion', ['validat'], 'validat'],
  ['an empty command line stays', [], ''],
  ['help stays', ['--help'], '--help'],
])('%s', (_name, args, want) => expect(interpret(args)).toBe(want));

test.each([
  { name: 'only a pipe', args: [], want: 'bulk' },
  { name: 'a pipe with flags', args: ['--only', 'valid'], want: 'bulk --only valid' },
  { name: 'a pipe next to an address', args: ['--json', 'a@b.co'], want: 'validate a@b.co --json' },
  { name: 'a pipe named by -', args: ['-'], want: 'bulk -' },
  { name: 'help is shown, piped or not', args: ['--help'], want: '--help' },
  { name: 'a command stays a command', args: ['validate', '-'], want: 'validate -' },
])('piped: $name', ({ args, want }) => expect(interpret(args, { piped: true })).toBe(want));

test.each([
  { args: ['https://example.org/list.csv'], want: /not web addresses/ },
  { args: ['-q', 'missing.csv'], want: /There is no file missing\.csv/ },
  { args: ['missing.csv'], want: /There is no file missing\.csv/ },
])('refuses $args', ({ args, want }) => expect(() => interpret(args)).toThrow(want));

test('quotes a URL in the command that fetches it', () => {
  const hint = "Fetch it first: curl -sS 'https://example.org/?a=1&b=2' | mailvet bulk";
  expect(() => interpret(['https://example.org/?a=1&b=2'])).toThrow(expect.objectContaining({ hint }));
});
