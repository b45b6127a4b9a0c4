import type { Help } from 'commander';
import { hang, wrap, wrapCommand } from './text-layout.js';

/** Below this the description of a flag stands beneath it, not beside it. */
const roomBeside = 30;

/** How help is set: nothing is wider than the screen, and no word is broken. */
export const helpStyle: Partial<Help> = {
  minWidthToWrap: 20,
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? 80;
    if (description === '') return `  ${term}`;
    const indent = termWidth + 4;
    if (width - indent >= roomBeside) {
      const padding = ' '.repeat(indent - 2 - helper.displayWidth(term));
      return hang(`  ${term}${padding}`, indent, description, width).trimEnd();
    }
    return `  ${term}\n${hang('      ', 6, description, width).trimEnd()}`;
  },
};

/** Text behind the help of commander, which does not wrap it: paragraphs, examples and small tables, none wider than the screen. */
export function fitHelp(text: string, width: number): string {
  if (text.split('\n').every((line) => line.length <= width)) return text;
  const lines: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) lines.push(...wrap(paragraph.join(' '), width));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (/^[A-Z"a-z]/.test(line) && !line.endsWith(':')) {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    lines.push(...(line.length <= width ? [line] : fitLine(line, width)));
  }
  endParagraph();
  return lines.join('\n');
}

/** A command with what it does beside it, or a row of a small table. */
function fitLine(line: string, width: number): string[] {
  const [, command, does] = /^ {2}\$ (.+?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
  if (command !== undefined) {
    const shown = wrapCommand(command, width - 4).map((part, index) => `${index === 0 ? '  $ ' : '    '}${part}`);
    return does === undefined ? shown : [...set('  # ', does, width), ...shown];
  }
  const [, mark = '  ', rest = line] = /^( {2}(?:# )?)(.*)$/.exec(line) ?? [];
  return rest.split(/ {3,}/).flatMap((cell) => set(mark, cell, width));
}

function set(first: string, text: string, width: number): string[] {
  return hang(first, first.length, text, width).trimEnd().split('\n');
}
