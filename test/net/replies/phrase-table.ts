import { join } from 'node:path';
import { readDataLines } from '../../../src/disk/bundled-file.js';
import type { PatternGroup } from '../../../src/net/replies/reading.js';

const root = join(import.meta.dirname, '../../..');

/** One row of `data/phrases.tsv`: what a phrase in a refusal means, and replies that show it. */
interface PhraseRow {
  group: PatternGroup;
  /** The first four letters of the longest ASCII word that every text with the phrase has; `-`: it has none. */
  key: string;
  phrase: string;
  /** ISO 639-1. */
  language: string;
  /** The server or document that it is from; `-`: unknown. */
  source: string;
  /** Replies that this row must read. */
  replies: string[];
}

/** The whole table, with sources and replies. */
export function phraseTable(): readonly PhraseRow[] {
  return readDataLines(join(root, 'src/net/replies/data/phrases.tsv'), 'utf8')
    .slice(1)
    .map((line) => {
      const [group = '', key = '', phrase = '', language = '', source = '', ...replies] = line.split('\t');
      return {
        group: group as PatternGroup,
        key,
        phrase,
        language,
        source,
        replies: replies.map((reply) => reply.replaceAll('\\n', '\n')),
      };
    });
}
