import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeService, resultOf } from '../fakes/service.js';
import { commandIn } from './command-in.js';
import { freshFolder, runCli } from './run-cli.js';

/** The words that a shell makes of a pasted command; `mailvet` itself is left out. */
function pasted(command: string): string[] {
  const words = execFileSync('bash', ['-c', `mailvet() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' });
  return words.split('\0').slice(0, -1);
}

const widths = [45, 80, 120];
const names = ['list.csv', "Ada's list, final (2).csv", 'weiß $HOME "x".csv', 'tab\there.csv', '-start.csv'];
const cases = widths.flatMap((columns) => names.map((name) => ({ columns, name })));
const folder = freshFolder();
for (const name of names) writeFileSync(join(folder, name), 'email\nunknown@b.co\na@b.co\n');
mkdirSync(join(folder, 'with blanks, and more'));

test.each(cases)('Next of bulk: $name in $columns columns', async ({ columns, name }) => {
  const [list, output] = [join(folder, name), join(folder, 'with blanks, and more', `out ${name}`)];
  const { err } = await runCli(['bulk', list, '-o', output], { columns });
  expect(pasted(commandIn(err))).toEqual(['bulk', list, '-o', output, '--max-age', '1d']);
  expect(err).toContain('asks the unknown one again');
});

test('no Next for a part of a list', async () => {
  const { err } = await runCli(['bulk', join(folder, 'list.csv'), '--limit', '1', '--level', 'syntax']);
  expect(err).not.toContain('Next');
});

test('Ctrl-C says that the same command goes on', async () => {
  const controller = new AbortController();
  const service = fakeService({
    validateMany: async function* (chunks, options) {
      for await (const [email = ''] of chunks) {
        yield [{ result: resultOf(email), duplicate: false }];
        controller.abort();
        options?.signal?.throwIfAborted();
      }
    },
  });
  const args = ['bulk', '-o', join(folder, 'stopped.csv'), '--', join(folder, 'list.csv')];
  const { status, err } = await runCli(args, { service, signal: controller.signal });
  expect(status).toBe(130);
  expect(err).toContain('Interrupted.\n  The same command goes on with what was answered.\n');
  expect(readdirSync(folder)).not.toContain('stopped.csv');
});

const job = { id: '62e723e7-db04-4ae8-a301-1670294f0176', total: 2, processed: 2, unknown_count: 1 };

test.each(
  cases.flatMap((each) => [
    { ...each, state: { status: 'completed' }, want: ['results', job.id, '-o'] },
    { ...each, state: { status: 'running' }, want: ['get', job.id, '--watch'] },
    // A service cannot resume a job.
    { ...each, state: { status: 'running', interrupted: true }, want: ['results', job.id, '-o'] },
  ]),
)('Next of a $state.status job: $name in $columns columns', async ({ columns, name, state, want }) => {
  const service = fakeService({ getJob: async () => ({ ...job, ...state, filename: name }) });
  const { out } = await runCli(['jobs', 'get', job.id, '--remote', '--base-url', 'https://vet.example'], {
    columns,
    service,
  });
  const [group, ...words] = pasted(commandIn(out));
  expect(group).toBe('jobs');
  expect(words.slice(0, want.length)).toEqual(want);
  // The other command uses the same service.
  expect(words.slice(-3)).toEqual(['--remote', '--base-url', 'https://vet.example']);
});

test.each(widths)('the hint of a failure in %d columns', async (columns) => {
  const path = join(folder, 'with blanks, and more', 'no such list.csv');
  writeFileSync(path, 'a@b.co\n');
  const { err } = await runCli(['validate', path], { columns });
  expect(pasted(commandIn(err))).toEqual(['bulk', path]);
});

test('a command ends its sentence, because line breaks after it are for a shell', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!define)\.ts$/.test(name),
  );
  const found = sources.flatMap((name) => {
    const texts = readFileSync(join('src', name), 'utf8').match(/: mailvet (?!help )[^'`\n]*['`]/g) ?? [];
    return texts.filter((text) => /(?:[.?;]['`]|[.;] \w|, (?:or|then) )/.test(text)).map((text) => `${name} ${text}`);
  });
  expect(found).toEqual([]);
});

test.each(widths)('the hints of commands without arguments in %d columns', async (columns) => {
  expect(pasted(commandIn((await runCli(['validate'], { columns })).err))).toEqual(['validate', 'ada@python.org']);
  const { err } = await runCli(['explain', '--reply', "refused: 550 5.1.1 It's $HOME"], { columns });
  expect(pasted(commandIn(err))).toEqual(['explain', '--reply', "550 5.1.1 It's $HOME"]);
});
