import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';
import { type PatternGroup, patternGroups } from './pattern-groups.js';

/** One row of `data/phrases.tsv`: what a phrase in a refusal means, and replies that show it. */
interface PhraseRow {
  group: PatternGroup;
  /** See `compilePhrase`. */
  phrase: string;
  /** ISO 639-1. */
  language: string;
  /** The server or document that it is from; `-`: unknown. */
  source: string;
  /** Replies that this row must read. */
  replies: string[];
}

/** The whole table, for tests: with sources and replies. */
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

/** The part that replies are read by; the package contains only this. */
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
