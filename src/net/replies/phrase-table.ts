import { readDataLines } from '../../disk/bundled-file.js';
import type { PatternGroup } from './pattern-groups.js';

/** One row of `data/phrases.tsv`: what a phrase in a refusal means, and replies that show it. */
export interface PhraseRow {
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

let table: PhraseRow[] | null = null;

/** The table, read from disk when the first refusal comes. Its rows may stand in any order; those of a group stand together. */
export function phraseTable(): readonly PhraseRow[] {
  table ??= readDataLines(new URL('./data/phrases.tsv', import.meta.url), 'utf8')
    .slice(1)
    .map(rowOf);
  return table;
}

function rowOf(line: string): PhraseRow {
  const [group = '', phrase = '', language = '', source = '', ...replies] = line.split('\t');
  return {
    group: group as PatternGroup,
    phrase,
    language,
    source,
    replies: replies.map((reply) => reply.replaceAll('\\n', '\n')),
  };
}
