import type { Help } from 'commander';
import { hang, wrap, wrapCommand } from './text-layout.js';

/** With less room, the description of a flag is below it. */
const minDescriptionWidth = 30;

/** Commander's heading of flags without a group. */
const ownOptions = 'Options:';

/** The heading of flags that every command has. */
export const generalOptions = 'General:';

/** Wraps help to the width of the screen, without breaking words. */
export const helpStyle: Partial<Help> = {
  minWidthToWrap: 20,
  /** A line break within a sentence is only for the source. */
  commandDescription(command) {
    return command.description().replace(/([^.:])\n/g, '$1 ');
  },
  /** The command's own flags come first and those of all commands last, wherever they were defined. */
  groupItems(unsorted, visible, getGroup) {
    const place = (heading: string): number => (heading === ownOptions ? -1 : Number(heading === generalOptions));
    const headings = [...new Set([...unsorted, ...visible].map(getGroup))].sort((a, b) => place(a) - place(b));
    // Commander leaves out groups that are empty.
    return new Map(headings.map((heading) => [heading, visible.filter((item) => getGroup(item) === heading)]));
  },
  /** The choices belong to the sentence. */
  optionDescription({ description, argChoices: choices }) {
    if (choices === undefined) return description;
    const [, text = description, note = ''] = /^(.*?)( \(default: .*\))?$/s.exec(description) ?? [];
    return `${text}: ${choices.join(', ')}${note}`;
  },
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? 80;
    if (description === '') return `  ${term}`;
    const indent = termWidth + 4;
    if (width - indent >= minDescriptionWidth) {
      const padding = ' '.repeat(indent - 2 - helper.displayWidth(term));
      return hang(`  ${term}${padding}`, indent, description, width).trimEnd();
    }
    return `  ${term}\n${hang('      ', 6, description, width).trimEnd()}`;
  },
};

/** Wraps the paragraphs, examples and tables that follow the flags, which commander does not wrap. */
export function fitHelp(text: string, width: number): string {
  if (text.split('\n').every((line) => line.length <= width)) return text;
  const lines: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) lines.push(...wrap(paragraph.join(' '), width));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (/^[A-Z"a-z\d]/.test(line) && !line.endsWith(':')) {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    lines.push(...(line.length <= width ? [line] : fitLine(line, width)));
  }
  endParagraph();
  return lines.join('\n');
}

/** The command of an example, its description, or a row of a table. */
function fitLine(line: string, width: number): string[] {
  const [, command] = /^ {2}\$ (.+)$/.exec(line) ?? [];
  if (command !== undefined) {
    return wrapCommand(command, width - 4).map((part, index) => `${index === 0 ? '  $ ' : '    '}${part}`);
  }
  const [, indent = '  ', content = line] = /^( {2}(?:# )?)(.*)$/.exec(line) ?? [];
  const cells = content.split(/ {3,}/).map((cell) => hang(indent, indent.length, cell, width));
  return cells.join('').trimEnd().split('\n');
}

const [maxExamples, maxItems, maxLines] = [5, 10, 30];

/** The flags and commands that most people use, where those are not the first ones. */
const popularFlags: Record<string, string> = {
  mailvet: 'validate bulk upload jobs diff bounces login config doctor serve',
  'mailvet bulk': '--output --column --only --level --max-age --clean --dry-run --max-unknown --exclude --json',
  'mailvet upload': '--yes --wait --output --column --level --max-age --exclude --max-credits --limit --json',
};

/** The whole help with the examples first, or for `-h` one screen of it: five examples and ten flags or commands. */
export function arrangeHelp(text: string, { name, isShort }: { name: string; isShort: boolean }): string {
  const sections = text.trimEnd().split(/\n{2,}/);
  const isList = (section: string): boolean => /^[A-Z][\w -]*:\n/.test(section);
  const isExamples = (section: string): boolean => section.startsWith('Examples:');
  const head = sections.slice(0, sections.findIndex(isList));
  const examples = sections.filter(isExamples);
  const others = sections.slice(head.length).filter((section) => !isExamples(section));
  if (!isShort) return `${[...head, ...examples, ...others].join('\n\n')}\n`;
  const lists = others.filter((section) => isList(section) && !/^(?:Arguments|General|Exit status):/.test(section));
  const items = lists
    .flatMap((section) => itemsOf(section, /^ {2}\S/))
    .filter((item) => !/^ {2}(?:-h,|-V,|help )/.test(item));
  const itemOf = (word: string) =>
    items.find((item) => item.trimStart().startsWith(`${word} `) || item.includes(`, ${word} `)) ?? [];
  const popular = popularFlags[name]?.split(' ').flatMap(itemOf);
  const shownExamples = examples.flatMap((section) => itemsOf(section, /^ {2}# /)).slice(0, maxExamples);
  const [usage = '', description = ''] = head;
  const firstSentence = /^.*?[.?](?=\s|$)/s.exec(description)?.[0] ?? description;
  const shownItems = (popular ?? items).slice(0, maxItems);
  const render = (): string => {
    const parts = [`${usage}\n${firstSentence}`, shownExamples.join('\n'), shownItems.join('\n')];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n\nAll of it: ${name} --help\n`;
  };
  while (render().split('\n').length > maxLines + 1 && shownItems.length > 1) shownItems.pop();
  return render();
}

/** The items of a list, each with its further lines. */
function itemsOf(section: string, first: RegExp): string[] {
  const items: string[] = [];
  for (const line of section.split('\n').slice(1)) {
    if (first.test(line)) items.push(line);
    else if (items.length > 0) items.push(`${items.pop()}\n${line}`);
  }
  return items;
}
