import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { fakeTerminal } from '../fakes/terminal.js';
import { runCli } from './run-cli.js';

/** Every command that help shows, by the words that lead to it. */
function pathsOf(command: Command, path: readonly string[] = []): string[][] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  return [[...path], ...children.flatMap((child) => pathsOf(child, [...path, child.name()]))];
}

const program = buildProgram(async () => {}, { terminal: fakeTerminal() });
const paths = pathsOf(program).map((path) => ({ name: ['mailvet', ...path].join(' '), path }));

describe('help', () => {
  test.each(paths)('of $name has its own example, and fits 40, 80 and 120 columns', async ({ name, path }) => {
    for (const columns of [40, 80, 120]) {
      const { out, status } = await runCli([...path, '--help'], { columns });
      expect(status).toBe(0);
      expect(out).toContain(`$ ${name}`);
      // A flag with its value is not broken, however long it is.
      expect(out.split('\n').filter((line) => line.length > columns && !/^ {2}-/.test(line))).toEqual([]);
    }
  });

  test('breaks no word of the exit statuses', async () => {
    const { out } = await runCli(['bulk', '--help'], { columns: 40 });
    const text = out.replaceAll(/\s+/g, ' ');
    expect(text).toContain('Exit status: 0 done, 1 a guard tripped');
    expect(text).toContain('6 storage, 130 interrupted.');
  });
});

describe('help topics', () => {
  test.each(['exit-codes', 'formats', 'json', 'settings', 'environment'])(
    '%s fits 40, 80 and 120 columns',
    async (topic) => {
      for (const columns of [40, 80, 120]) {
        const { status, out } = await runCli(['help', topic], { columns });
        expect(status).toBe(0);
        expect(out.split('\n').length).toBeGreaterThan(5);
        expect(out.split('\n').filter((line) => line.length > columns)).toEqual([]);
      }
    },
  );
});
