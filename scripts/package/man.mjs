// Writes dist/man: a manual page for each command, from the definitions that --help shows. npm links only pages that
// package.json names, so their list there is updated, too.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const output = join(root, 'dist/man');
const { version, homepage, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Returns the names of the files. */
export async function buildManPages() {
  const { program, topics } = await loadCommands();
  const toRoff = await loadConverter();
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const files = commandsIn(program).map((command) => {
    const file = `${pageName(command)}.1`;
    writeFileSync(join(output, file), toRoff(renderPage(command, topics)));
    return file;
  });
  listPages(files);
  return files;
}

function listPages(files) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const man = files.map((file) => `./dist/man/${file}`).sort();
  if (JSON.stringify(manifest.man) === JSON.stringify(man)) return;
  writeFileSync(join(root, 'package.json'), `${JSON.stringify({ ...manifest, man }, null, 2)}\n`);
}

/** Bundles the definitions of the commands, since Node cannot import TypeScript. */
async function loadCommands() {
  const { build } = await import('rolldown');
  const folder = mkdtempSync(join(root, 'node_modules/.man-'));
  try {
    const entry = (name, ...path) => ({ [name]: join(root, 'src/cli', ...path) });
    await build({
      input: {
        ...entry('program', 'program.ts'),
        ...entry('commands', 'commands', 'all.ts'),
        ...entry('topics', 'render', 'help-topics.ts'),
      },
      platform: 'node',
      external: ['tr46', 'node-sqlite3-wasm'],
      transform: { define: { __VERSION__: JSON.stringify(version) } },
      output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    });
    const load = (name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href);
    const [{ buildProgram }, { commands }, { topicNames, renderTopic }] = await Promise.all(
      ['program', 'commands', 'topics'].map(load),
    );
    const stream = { columns: 80, color: false };
    const program = buildProgram(commands, () => {}, { terminal: { stdout: stream, stderr: stream } });
    // So wide that each entry is one line.
    return { program, topics: topicNames.map((name) => [name, renderTopic(name, 10_000)]) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** marked-man works only with its own copy of marked. */
async function loadConverter() {
  const require = createRequire(import.meta.url);
  const folder = dirname(createRequire(require.resolve('marked-man')).resolve('marked/package.json'));
  const { Marked } = await import(pathToFileURL(join(folder, 'lib/marked.esm.js')).href);
  const { default: markedMan } = await import('marked-man');
  // Without a date, so that equal sources produce equal bytes.
  const marked = new Marked({ ...markedMan, breaks: false, manual: 'mailvet', manVersion: version, date: 0 });
  return (markdown) => asManPage(marked.parse(markdown));
}

/** Turns lists of flags into tagged paragraphs, as manual pages have them. */
function asManPage(roff) {
  const page = roff
    // Without hyphenation, so that names and addresses can be searched and copied.
    .replace(/^(\.TH .*?) "January 1970"(.*)/m, '$1 ""$2\n.nh')
    .replace(/^\.RS 1\n([\s\S]*?)^\.RE$/gm, '$1')
    .replace(/^\.IP \\\(bu 2\n(\\fB.*\\fR):\n/gm, '.TP\n$1\n')
    .replace(/\n\n+/g, '\n');
  return `${page.trimEnd()}\n`;
}

function commandsIn(command) {
  return [command, ...childrenOf(command).flatMap(commandsIn)];
}

function childrenOf(command) {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
}

function pathOf(command) {
  return command.parent ? [...pathOf(command.parent), command.name()] : [command.name()];
}

const pageName = (command) => pathOf(command).join('-');

function renderPage(command, topics) {
  const help = command.createHelp();
  const children = childrenOf(command);
  const summary = command.parent ? help.subcommandDescription(command) : command.description();
  // The topics say more than the notes after the examples.
  const topicSections = topics.map(([name, text]) => renderTopicSection(name, text));
  const related = [command.parent, ...children].filter((each) => each).map((each) => `**${pageName(each)}**(1)`);
  return [
    `# ${pageName(command)}(1) -- ${firstSentence(summary)}`,
    section('Synopsis', `**${pathOf(command).join(' ')}** ${escapeMarkup(command.usage())}`),
    section('Description', escapeMarkup(command.description())),
    section(
      'Arguments',
      help.visibleArguments(command).map((argument) => item(argument.name(), help.argumentDescription(argument))),
    ),
    section(
      'Commands',
      children.map((child) => item(`${pathOf(child).join(' ')}`, help.subcommandDescription(child))),
    ),
    ...renderOptions(command, help),
    ...(command.parent ? renderAfterHelp(command) : [...renderAfterHelp(command).slice(0, 1), ...topicSections]),
    section('See also', `${related.join(', ')}${related.length > 0 ? ', ' : ''}<${homepage}>`),
    section('Reporting bugs', `<${bugs.url}>`),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function firstSentence(text) {
  return text.split('\n', 1)[0].replace(/\.( .*)?$/, '');
}

function section(title, content) {
  const text = Array.isArray(content) ? content.join('\n\n') : content.trim();
  return text === '' ? '' : `## ${title.toUpperCase()}\n\n${text}`;
}

/** One section, with the headings of --help as subsections. */
function renderOptions(command, help) {
  const groups = new Map();
  for (const option of help.visibleOptions(command)) {
    const title = option.helpGroupHeading ?? 'Options:';
    groups.set(title, [...(groups.get(title) ?? []), item(help.optionTerm(option), help.optionDescription(option))]);
  }
  const [[first, items] = ['', []], ...others] = groups;
  const heading = (title, items) => [`### ${title.replace(/:$/, '')}`, ...items];
  const all = [
    ...(first === 'Options:' || first === '' ? items : heading(first, items)),
    ...others.flatMap(([title, items]) => heading(title, items)),
  ];
  return [section('Options', all)];
}

/** The text that --help shows after the flags: headings, examples and paragraphs. */
function renderAfterHelp(command) {
  const texts = [];
  command.emit('afterHelp', { error: false, command, write: (text) => texts.push(text) });
  const blocks = texts.join('').trim().split(/\n\n+/).filter(Boolean);
  return blocks.map((block) => {
    const [, title, text = ''] = /^([A-Z][a-z]+(?: [a-z]+)?):\s(.*)$/s.exec(block) ?? [];
    if (title === undefined) return block.startsWith(' ') ? code(block) : escapeMarkup(block);
    return section(title, /^ {2}/m.test(text) ? code(text) : escapeMarkup(text));
  });
}

/** A page of `mailvet help TOPIC`, given as a line about it and lines of two columns. */
function renderTopicSection(name, text) {
  const [introduction = '', ...lines] = text.split('\n').filter(Boolean);
  const items = lines.map((line) => {
    const [, term = '', meaning = ''] = /^ {2}(\S.*?) {2,}(.*)$/.exec(line) ?? [];
    return item(term, meaning);
  });
  return section(name.replace('exit-codes', 'exit status'), [escapeMarkup(introduction), ...items]);
}

function item(term, meaning) {
  return `* **${escapeMarkup(term)}**:\n${escapeMarkup(meaning || ' ')}`;
}

function code(text) {
  return ['```', text.replace(/^\n+|\s+$/g, ''), '```'].join('\n');
}

/** Text that Markdown would read as markup. */
function escapeMarkup(text) {
  return text.replace(/[\\`*_<>[\]|]/g, '\\$&');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildManPages();
