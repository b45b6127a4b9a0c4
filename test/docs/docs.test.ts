import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commands as definitions } from '../../src/cli/commands/all.js';
import { buildProgram } from '../../src/cli/program.js';
import type { Terminal } from '../../src/cli/terminal/terminal.js';
import { recordChecks } from '../../src/model/record-checks/record-checks.js';
import { definitionOf, settingFields, variableOf } from '../../src/settings/definitions.js';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const markdownIn = (folder: string) => readdirSync(join(root, folder)).filter((file) => file.endsWith('.md'));
const pages = markdownIn('docs').map((file) => `docs/${file}`);
const decisions = markdownIn('docs/decisions').filter((file) => file !== 'README.md');
const all = [
  ...markdownIn('.'),
  ...pages,
  ...['README.md', ...decisions].map((file) => `docs/decisions/${file}`),
  'skills/mailvet/SKILL.md',
  'training/README.md',
  'test/fixtures/replies/README.md',
];

/** The text outside of fenced blocks, and the fenced blocks. */
function partsOf(text: string): { prose: string; blocks: string[] } {
  const pieces = text.split(/^```.*$/m);
  return {
    prose: pieces.filter((_, index) => index % 2 === 0).join('\n'),
    blocks: pieces.filter((_, index) => index % 2 === 1),
  };
}

/** Absolute, since the page of the registry shows the README without its folder. */
const published =
  /^https:\/\/(?:github\.com\/mailvet\/mailvet\/blob|raw\.githubusercontent\.com\/mailvet\/mailvet)\/main\//;

/** The targets of links: `[text](target)`, and `[name]: target`. */
function linksIn(file: string): string[] {
  const { prose } = partsOf(read(file));
  const inline = [...prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)];
  const defined = [...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  return [...inline, ...defined].map((match) => match[1] ?? '');
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (file: string) =>
  [...partsOf(read(file)).prose.matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ''));

/** Commands and their subcommands, as the program defines them. */
const commands = readdirSync(join(root, 'src/cli/commands'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .concat('logout', 'help');

const visibleCommands = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');

/** A mistyped command that is shown with its suggestion. */
const mistyped = 'validat';

describe('the documents', () => {
  test('every setting has a row with its variable, flag and description', () => {
    const text = read('docs/settings.md');
    const missing = settingFields.map(definitionOf).filter(({ key, flag, description }) => {
      const row = text.split('\n').find((line) => line.startsWith(`| \`${key}\` | \`${variableOf(key)}\` |`));
      return !row?.endsWith(`| ${description} |`) || !row.includes(flag ?? '');
    });
    expect(missing.map(({ key }) => key)).toEqual([]);
  });

  test.each(all)('%s: every link has a target', (file) => {
    const broken = linksIn(file).filter((link) => {
      if (/^(https?:|mailto:)/.test(link) && !published.test(link)) return false;
      const [path = '', anchor] = link.replace(published, '').split('#');
      const target = path === '' ? file : published.test(link) ? path : join(dirname(file), path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test.each(all)('%s: every documented command exists', (file) => {
    const { prose, blocks } = partsOf(read(file));
    const code = [...blocks, ...[...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')];
    const documented = code.flatMap((text) => [
      ...text.matchAll(/^(?:\$ |.*[;&|(] )?mailvet ([a-z][a-z-]*)(?=[\s|]|$)/gm),
    ]);
    const unknown = documented
      .map((match) => match[1] ?? '')
      .filter((word) => !commands.includes(word) && word !== mistyped);
    expect([...new Set(unknown)]).toEqual([]);
  });

  test('blocks that show a recorded screen match it, except for times', () => {
    const plain = (text: string) => text.trim().replaceAll(/\d+(\.\d+)? m?s\b|of \d+ \w{3}$/gm, 'TIME');
    const screens = readdirSync(join(root, 'docs/screens')).map((file) => plain(read(`docs/screens/${file}`)));
    const commandOf = (text: string) => text.split('\n', 1)[0];
    const isWhole = (block: string) => !/^…$/m.test(block) && block.match(/^\$ /gm)?.length === 1;
    const blocks = all.flatMap((file) => partsOf(read(file)).blocks.map(plain)).filter(isWhole);
    const recorded = blocks.filter((block) => screens.some((screen) => commandOf(screen) === commandOf(block)));
    expect(recorded.length).toBeGreaterThan(1);
    expect(recorded.filter((block) => !screens.includes(block))).toEqual([]);
  });

  test('package.json names a manual page for each command (otherwise run: node scripts/package/man.mjs)', () => {
    const stream = { columns: 80, color: false };
    const program = buildProgram(definitions, async () => {}, {
      terminal: { stdout: stream, stderr: stream } as Terminal,
    });
    const pagesOf = (command: Command, path: string): string[] => [
      `./dist/man/${path}.1`,
      ...visibleCommands(command).flatMap((child) => pagesOf(child, `${path}-${child.name()}`)),
    ];
    expect(JSON.parse(read('package.json')).man).toEqual(pagesOf(program, 'mailvet').sort());
  });

  test('the skill has fewer than 150 lines, and says when to use it', () => {
    const text = read('skills/mailvet/SKILL.md');
    expect(text.split('\n').length).toBeLessThan(150);
    expect(text).toMatch(/^---\nname: mailvet\ndescription: .{50,1000}\n---\n/);
  });

  test('the README has at most 130 lines of at most 120 characters', () => {
    const lines = read('README.md').split('\n');
    expect(lines.length).toBeLessThanOrEqual(131);
    expect(lines.filter((line) => [...line].length > 120)).toEqual([]);
  });

  test('the README links to every page, with links that work on the page of the registry', () => {
    const links = linksIn('README.md');
    expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
    const linked = links.map((link) => link.replace(published, '').split('#')[0]);
    expect([...pages, 'docs/decisions/README.md'].filter((page) => !linked.includes(page))).toEqual([]);
    const prose = partsOf(read('README.md')).prose.replaceAll(/`[^`]*`/g, '');
    const defined = [...prose.matchAll(/^\[([^\]]+)\]: /gm)].map((match) => match[1]);
    const used = [...prose.matchAll(/\[([^\]]+)\](?:\[([^\]]+)\])?(?![:(])/g)].map((match) => match[2] ?? match[1]);
    const names = new Set(used.map((name) => name?.toLowerCase().replaceAll(/\s+/g, ' ')));
    expect([...names].sort()).toEqual(defined.sort());
  });

  test.each(decisions)(
    'docs/decisions/%s is listed, has context, decision and consequence, and at most 40 lines',
    (file) => {
      const text = read(`docs/decisions/${file}`);
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
      expect([...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map((match) => match[1])).toEqual([
        'Context',
        'Decision',
        'Consequence',
      ]);
      expect(read('docs/decisions/README.md')).toContain(`(${file})`);
    },
  );

  test('docs/engine.md lists every record check', () => {
    const rows = recordChecks.map(({ label, field, description }) => `| ${label} | \`${field}\` | ${description} |`);
    expect(rows.filter((row) => !read('docs/engine.md').includes(row))).toEqual([]);
  });

  test('CHANGELOG.md has fewer than 120 lines', () => {
    expect(read('CHANGELOG.md').trimEnd().split('\n').length).toBeLessThan(120);
  });

  test('every documented flag exists', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(`src/${file}`))
      .join('\n');
    const flags = pages.flatMap((page) =>
      [...read(page).matchAll(/^\$? ?mailvet .*$|`mailvet [^`]*`/gm)].flatMap((line) =>
        [...line[0].matchAll(/(?<=\s)--[a-z][a-z-]+/g)].map((flag) => `${page}: ${flag[0]}`),
      ),
    );
    const missing = flags.filter((entry) => {
      const flag = entry.slice(entry.indexOf('--'));
      return !sources.includes(flag) && !sources.includes(flag.replace(/^--no-/, '--'));
    });
    expect([...new Set(missing)]).toEqual([]);
  });
});
