import type { Help } from 'commander';
import { hang } from './wrap.js';

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
