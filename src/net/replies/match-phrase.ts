import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';
import { readProblem, readSmallFile } from '../../disk/own-file.js';
import { Failure } from '../../model/failure.js';
import { compilePhrase, findPhrase, fold, isAscii, type Phrase, type PhrasePosition, prepareText } from './phrases.js';
import {
  groupsWithoutCause,
  isAbout,
  type PatternGroup,
  type PhraseMatch,
  patternGroups,
  type UserRule,
} from './reading.js';
import { subjectOf } from './reply-subject.js';
import { says } from './word-lists.js';

interface Row extends UserRule {
  matcher: Phrase;
}

/** A built-in phrase. The first match in this order counts. */
interface BuiltInRow extends Row {
  order: number;
}

/** Built-in rows by a word that a text must have, and all words of their phrases once they are needed. */
interface BuiltInRows {
  rows: Map<string | null, BuiltInRow[]>;
  vocabulary?: Set<string>;
}

/** Key true has only those for ASCII texts. */
const builtIn = new Map<boolean, BuiltInRows>();
const compiled = new WeakMap<readonly UserRule[], Row[]>();

/**
 * The first group that a text without echoes matches: the user's rules first, then the built-in ones in their order. The probed local
 * part is an echo as well, unless it is a word of refusals.
 */
export function matchPhrase(text: string, userRules: readonly UserRule[] = [], local = ''): PhraseMatch {
  const name = local.length > 2 && text.includes(local.toLowerCase()) && !isPhraseWord(fold(local)) ? fold(local) : '';
  const prepared = prepareText(text, name);
  const userRow = rowsOf(userRules).find((row) => findPhrase(prepared, row.matcher) !== null);
  if (userRow !== undefined) return { group: userRow.group, phrase: userRow.phrase, isUserRule: true };
  const { rows } = builtInRowsFor(isAscii(prepared.plain));
  const words = new Set([null, ...prepared.plain.split(' '), ...prepared.general.split(' ')]);
  const candidates = [...words].flatMap((word) => rows.get(word) ?? []).sort((one, other) => one.order - other.order);
  let fallback: PhraseMatch = null;
  for (const { matcher, phrase, group: ofPhrase } of candidates) {
    const position = findPhrase(prepared, matcher);
    if (position === null) continue;
    const group = groupOf(ofPhrase, position);
    if (group !== null) return { group, phrase, isUserRule: false };
    fallback ??= { group: 'unexplained', phrase, isUserRule: false };
  }
  return fallback;
}

/** The group after checking the subject: words on a mailbox may be about the client. Null if they are about something else. */
function groupOf(group: PatternGroup, position: PhrasePosition): PatternGroup | null {
  const isMailboxGroup = isAbout('mailbox', group) && group !== 'mailbox_busy';
  if (!isMailboxGroup && !groupsWithoutCause.includes(group) && group !== 'refusal') return group;
  if (group === 'disabled' && isContentPolicy(position)) return 'policy';
  const isFull = group === 'quota' || group === 'overfull';
  switch (subjectOf(position)) {
    case 'mailbox':
      return group;
    case 'other':
      return isFull || !isMailboxGroup ? group : null;
    case 'client':
      return isFull ? 'rate' : 'unknown_client';
    case 'machine':
      if (isFull) return 'temporary';
      // RFC 7504 §4: a host may accept no mail at all.
      if (group === 'takes_no_mail') return isContentPolicy(position) ? 'policy' : group;
      return group === 'refusal' ? group : 'unknown_client';
  }
}

/** Whether a phrase contains the word or a beginning of it. */
function isPhraseWord(folded: string): boolean {
  const word = folded.trim();
  const builtInRows = builtInRowsFor(isAscii(word));
  const phrases = () => [...builtInRows.rows.values()].flat().map(({ phrase }) => phrase);
  // The separator keeps words of two phrases apart.
  builtInRows.vocabulary ??= new Set(fold(phrases().join(' x ')).split(' '));
  const { vocabulary } = builtInRows;
  for (let end = 3; end <= word.length; end++) if (vocabulary.has(word.slice(0, end))) return true;
  return false;
}

/** Scripts that do not fold to ASCII: Greek and what follows it, but for Latin letters and punctuation. */
const otherScripts = /[\u0370-\u1dff\u3040-\uffff]/;

/** Built-in rows. ASCII texts skip phrases of other scripts, which are slow to compile. */
function builtInRowsFor(forAscii: boolean): BuiltInRows {
  const cached = builtIn.get(forAscii);
  if (cached !== undefined) return cached;
  const rows = new Map<string | null, BuiltInRow[]>();
  let order = 0;
  for (const [group, phrases] of phrasesByGroup()) {
    for (const words of phrases) {
      if (forAscii && otherScripts.test(words)) continue;
      const matcher = compilePhrase(words);
      const sameWord = rows.get(matcher.word) ?? [];
      if (sameWord.length === 0) rows.set(matcher.word, sameWord);
      sameWord.push({ group, phrase: words, order: order++, matcher });
    }
  }
  const added = { rows };
  builtIn.set(forAscii, added);
  return added;
}

function rowsOf(userRules: readonly UserRule[]): Row[] {
  const cached = compiled.get(userRules);
  if (cached !== undefined) return cached;
  const rows = userRules.map((rule) => ({ ...rule, matcher: compilePhrase(rule.phrase) }));
  compiled.set(userRules, rows);
  return rows;
}

/** Reads a file of rules; an unreadable file or an invalid line is the Failure `bad_input`. */
export async function readReplyRules(file: string): Promise<UserRule[]> {
  try {
    return parseReplyRules(readSmallFile(file).toString('utf8'));
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('bad_input', `The reply rules file ${file} cannot be read: ${readProblem(cause)}.`, {
      cause,
      hint: 'Give the path of a text file with one rule per line.',
    });
  }
}

/** Parses rules: one `group: phrase` a line, `#` begins a comment. An invalid line is the Failure `bad_input`. */
export function parseReplyRules(text: string): UserRule[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const bare = line.replace(/^\uFEFF/, '').trim();
    if (bare === '' || bare.startsWith('#')) return [];
    const colon = bare.indexOf(':');
    const group = patternGroups.find((name) => name === bare.slice(0, colon).trim());
    const words = bare.slice(colon + 1).trim();
    if (colon === -1 || group === undefined || words.split('…').some((part) => fold(part).trim() === '')) {
      throw new Failure('bad_input', `Line ${index + 1} of the reply rules is not "group: phrase".`, {
        hint: `Groups: ${patternGroups.join(', ')}. Example: no_such_user: address is gone`,
      });
    }
    return [{ group, phrase: words }];
  });
}

/** Whether a refusal is restricted to some mail: a mailbox that takes no attachments takes other mail. */
function isContentPolicy({ text, start, end }: PhrasePosition): boolean {
  return (
    says('restriction', text.slice(end)) ||
    says('restricted', text.slice(start, end)) ||
    says('restricted_before', text.slice(0, start + 1))
  );
}

/** The phrases of `data/phrases.tsv`; the package contains only their two columns. */
function phrasesByGroup(): Map<PatternGroup, string[]> {
  const phrases = new Map<PatternGroup, string[]>(patternGroups.map((group) => [group, []]));
  for (const line of readDataLines(join(import.meta.dirname, 'data/phrases.tsv'), 'utf8').slice(1)) {
    const [group = '', phrase = ''] = line.split('\t', 2);
    phrases.get(group as PatternGroup)?.push(phrase);
  }
  return phrases;
}
