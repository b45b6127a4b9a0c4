import { join } from 'node:path';
import { LruMap } from '../../async/lru-map.js';
import { readDataLines } from '../../disk/bundled-file.js';
import { readProblem, readSmallFile } from '../../disk/own-file.js';
import { Failure } from '../../model/failure.js';
import { groupsWithoutCause, mailboxGroups, type PatternGroup, patternGroups } from './pattern-groups.js';
import {
  compilePhrase,
  containsPhrase,
  findPhrase,
  fold,
  isAscii,
  type Phrase,
  type PhrasePosition,
  prepareText,
  requiredText,
} from './phrases.js';
import { subjectOf } from './reply-subject.js';

/** A rule of the user: replies to RCPT with the phrase belong to the group. */
export interface UserRule {
  group: PatternGroup;
  phrase: string;
}

interface UserRow extends UserRule {
  matcher: Phrase;
}

/** A built-in phrase. It is compiled only when a text contains its required part, which few do. */
interface BuiltInRow extends UserRule {
  /** The first match in this order counts. */
  order: number;
  opening: string;
  matcher: Phrase | null;
}

/** The phrase in a reply, its group, and whether a rule of the user matched. */
export type PhraseMatch = (UserRule & { isUserRule: boolean }) | null;

/** Built-in rows by their first letters: key true has only those for ASCII texts. */
const builtInRows = new Map<boolean, Map<string | null, BuiltInRow[]>>();
/** Hosts repeat the same few sentences. */
const cache = new LruMap<PhraseMatch>({ maxEntries: 500 });
const compiled = new WeakMap<readonly UserRule[], UserRow[]>();

/**
 * The first group that a text without echoes matches: the user's rules first, then the built-in ones in their order. The probed local
 * part is an echo as well, unless it is a word of refusals.
 */
export function matchPhrase(text: string, userRules: readonly UserRule[] = [], local = ''): PhraseMatch {
  const name = local.length > 2 && text.includes(local.toLowerCase()) && !isPhraseWord(fold(local)) ? fold(local) : '';
  if (userRules.length > 0) return search(text, userRules, name);
  const key = name === '' ? text : `${name}${text}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const match = search(text, userRules, name);
  cache.set(key, match);
  return match;
}

function search(text: string, userRules: readonly UserRule[], name: string): PhraseMatch {
  const prepared = prepareText(text, name);
  const userRow = rowsOf(userRules).find((row) => containsPhrase(prepared, row.matcher));
  if (userRow !== undefined) return { group: userRow.group, phrase: userRow.phrase, isUserRule: true };
  let fallback: PhraseMatch = null;
  const { text: folded, words: allWords } = prepared.plain;
  for (const row of rowsFor(folded, allWords)) {
    const { phrase } = row;
    row.matcher ??= compilePhrase(phrase);
    const position = findPhrase(prepared, row.matcher);
    if (position === null) continue;
    const group = groupOf(row.group, position);
    if (group !== null) return { group, phrase, isUserRule: false };
    fallback ??= { group: 'unexplained', phrase, isUserRule: false };
  }
  return fallback;
}

/** Built-in rows whose required part is in the text, in order. */
function rowsFor(folded: string, words: ReadonlySet<string>): BuiltInRow[] {
  const rows = builtInRowsFor(isAscii(folded));
  const starts = new Set<string | null>([null]);
  for (const word of words) {
    starts.add(` ${word} `);
    for (let letters = 2; letters <= 4; letters++) starts.add(` ${word.slice(0, letters)}`);
  }
  const candidates: BuiltInRow[] = [];
  for (const start of starts)
    for (const row of rows.get(start) ?? []) if (folded.includes(row.opening)) candidates.push(row);
  return candidates.sort((one, other) => one.order - other.order);
}

/** The group after checking the subject: words on a mailbox may be about the client. Null if they are about something else. */
function groupOf(group: PatternGroup, position: PhrasePosition): PatternGroup | null {
  const isMailboxGroup = mailboxGroups.includes(group) && group !== 'mailbox_busy';
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

const vocabularies = new Map<boolean, Set<string>>();

function vocabulary(forAscii: boolean): Set<string> {
  const cached = vocabularies.get(forAscii);
  if (cached !== undefined) return cached;
  const phrases = [...builtInRowsFor(forAscii).values()].flat().map((row) => row.phrase);
  // The separator keeps words of two phrases apart.
  const all = new Set(fold(phrases.join(' x ')).split(' '));
  vocabularies.set(forAscii, all);
  return all;
}

/** Whether a phrase contains the word or a beginning of it. */
function isPhraseWord(folded: string): boolean {
  const word = folded.trim();
  const words = vocabulary(isAscii(word));
  for (let end = 3; end <= word.length; end++) if (words.has(word.slice(0, end))) return true;
  return false;
}

/** Scripts that do not fold to ASCII: Greek and what follows it, but for Latin letters and punctuation. */
const otherScripts = /[\u0370-\u1dff\u3040-\uffff]/;

/** Built-in rows. ASCII texts skip phrases of other scripts, which are slow to compile. */
function builtInRowsFor(forAscii: boolean): ReadonlyMap<string | null, BuiltInRow[]> {
  const cached = builtInRows.get(forAscii);
  if (cached !== undefined) return cached;
  const rows = new Map<string | null, BuiltInRow[]>();
  let order = 0;
  for (const [group, phrases] of phrasesByGroup()) {
    for (const words of phrases) {
      if (forAscii && otherScripts.test(words)) continue;
      const opening = requiredText(words);
      const start = startOf(opening);
      const sameStart = rows.get(start) ?? [];
      if (sameStart.length === 0) rows.set(start, sameStart);
      sameStart.push({ group, phrase: words, order: order++, opening, matcher: null });
    }
  }
  builtInRows.set(forAscii, rows);
  return rows;
}

/** The index key of a row: its first word, or the first letters of one that may continue. */
function startOf(opening: string): string | null {
  const end = opening.indexOf(' ', 1);
  if (end !== -1) return opening.slice(0, end + 1);
  return opening.length < 3 ? null : opening.slice(0, 5);
}

function rowsOf(userRules: readonly UserRule[]): UserRow[] {
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

/** Words that restrict a statement to some mail: `from you`, `for external senders`, `with attachments`. */
const restrictionToSomeMail =
  /^ (?:(?:any|receiving|e?mails?|messages?|anytraffic) )*(?:with (?:\w+ )?(?:attach|file|link|content|html)|(?:without|from(?! (?:(?:the|our|this) )?(?:system|server|service|domain|directory|company|receiving))|this|that|such|these|those|unless|larger|bigger|above|via|over) |(?:for|to|in|of) (?:\w+ ){0,2}?(?:senders?|size|external|outside|non(?! pay)|members|internet|format) |(?:for|to) you |of your |your permission |you from |(?:delivery|receipt) (?:of|until|from) |(?:because of|due to|by) (?:your|an? filter|filters?|the sender))/;

/** Whether a refusal is restricted to some mail: a mailbox that takes no attachments takes other mail. */
function isContentPolicy({ text, start, end }: PhrasePosition): boolean {
  return (
    restrictionToSomeMail.test(text.slice(end)) ||
    / (?:(?:e?mail|delivery|messages) from|(?:external|internet|outside) (?:e?mail|delivery|messages)) /.test(
      text.slice(start, end),
    ) ||
    / (?:external|internet|outside) (?:e?mail|delivery|messages) (?:for|to) (?:this |the )?$/.test(
      text.slice(0, start + 1),
    )
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
