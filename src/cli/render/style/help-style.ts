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
  return content.split(/ {3,}/).flatMap((cell) => hangLines(indent, cell, width));
}

function hangLines(first: string, text: string, width: number): string[] {
  return hang(first, first.length, text, width).trimEnd().split('\n');
}
