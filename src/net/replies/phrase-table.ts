import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';
import { type PatternGroup, patternGroups } from './pattern-groups.js';

/** One row of `data/phrases.tsv`: what a phrase in a refusal means, and replies that show it. */
interface PhraseRow {
  group: PatternGroup;
  /** See `phrase`. */
  phrase: string;
  /** ISO 639-1. */
  language: string;
  /** Who answers so, or where it was read; `-` where nobody wrote it down. */
  source: string;
  /** Replies that this row must read. */
  replies: string[];
}

/** The table as it is tested: with its sources, and with replies. Its rows may stand in any order; those of a group stand together. */
export function phraseTable(): readonly PhraseRow[] {
  return tableLines().map((line) => {
    const [group = '', phrase = '', language = '', source = '', ...replies] = line.split('\t');
    return {
      group: group as PatternGroup,
      phrase,
      language,
      source,
      replies: replies.map((reply) => reply.replaceAll('\\n', '\n')),
    };
  });
}

/** The part of it that replies are read by, which is all that comes with the program. */
export function phrasesByGroup(): Map<PatternGroup, string[]> {
  const phrases = new Map<PatternGroup, string[]>(patternGroups.map((group) => [group, []]));
  for (const line of tableLines()) {
    const [group = '', phrase = ''] = line.split('\t', 2);
    phrases.get(group as PatternGroup)?.push(phrase);
  }
  return phrases;
}

function tableLines(): string[] {
  return readDataLines(join(import.meta.dirname, 'data/phrases.tsv'), 'utf8').slice(1);
}
