import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';
import { readProblem, readSmallFile } from '../../disk/own-file.js';
import { Failure } from '../../model/failure.js';
import {
  compilePhrase,
  findPhrase,
  fold,
  isAscii,
  type Phrase,
  type PhrasePosition,
  type PreparedText,
  prepareText,
} from './phrases.js';
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

/** A phrase, compiled once a text may have it. */
interface Row extends UserRule {
  matcher?: Phrase;
  /** The first match in this order counts. */
  order: number;
}

/** The phrases of `data/phrases.tsv` by their keys: the letters that begin a word of each text with the phrase. */
const builtIn = new Map<string, Row[]>();
const keyLetters = 4;
/** The key of phrases without ASCII words. */
const noKey = '-';
/** All words of the phrases. */
let vocabulary: ReadonlySet<string> | null = null;
const compiled = new WeakMap<readonly UserRule[], Row[]>();

/**
 * The first group that a text without echoes matches: the user's rules first, then the built-in ones in their order. The probed local
 * part is an echo as well, unless it is a word of refusals.
 */
export function matchPhrase(text: string, userRules: readonly UserRule[] = [], local = ''): PhraseMatch {
  const name = local.length > 2 && text.includes(local.toLowerCase()) && !isPhraseWord(fold(local)) ? fold(local) : '';
  const prepared = prepareText(text, name);
  const find = (row: Row) => {
    row.matcher ??= compilePhrase(row.phrase);
    return findPhrase(prepared, row.matcher);
  };
  const userRow = rowsOf(userRules).find((row) => find(row) !== null);
  if (userRow !== undefined) return { group: userRow.group, phrase: userRow.phrase, isUserRule: true };
  let fallback: PhraseMatch = null;
  for (const row of candidatesFor(prepared)) {
    const position = find(row);
    if (position === null) continue;
    const { phrase } = row;
    const group = groupOf(row.group, position);
    if (group !== null) return { group, phrase, isUserRule: false };
    fallback ??= { group: 'unexplained', phrase, isUserRule: false };
  }
  return fallback;
}

/** The built-in phrases that the text may have. */
function candidatesFor({ plain, general }: PreparedText): Row[] {
  const rows = builtInRows();
  const keys = new Set([...plain.split(' '), ...general.split(' ')].map((word) => word.slice(0, keyLetters)));
  if (!isAscii(plain)) keys.add(noKey);
  return [...keys].flatMap((key) => rows.get(key) ?? []).sort((one, other) => one.order - other.order);
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
  const phrases = () => [...builtInRows().values()].flat().map(({ phrase }) => phrase);
  // The separator keeps words of two phrases apart.
  vocabulary ??= new Set(fold(phrases().join(' x ')).split(' '));
  for (let end = 3; end <= word.length; end++) if (vocabulary.has(word.slice(0, end))) return true;
  return false;
}

/** Most phrases are never compiled. */
function builtInRows(): typeof builtIn {
  if (builtIn.size > 0) return builtIn;
  const lines = readDataLines(join(import.meta.dirname, 'data/phrases.tsv'), 'utf8').slice(1);
  for (const [order, line] of lines.entries()) {
    const [group = '', key = '', phrase = ''] = line.split('\t', 3);
    const row = { group: group as PatternGroup, phrase, order };
    const sameKey = builtIn.get(key);
    if (sameKey === undefined) builtIn.set(key, [row]);
    else sameKey.push(row);
  }
  return builtIn;
}

function rowsOf(userRules: readonly UserRule[]): Row[] {
  const cached = compiled.get(userRules);
  if (cached !== undefined) return cached;
  const rows = userRules.map((rule, order) => ({ ...rule, order }));
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
