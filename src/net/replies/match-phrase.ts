import { readFile } from 'node:fs/promises';
import { LruMap } from '../../async/lru-map.js';
import { Failure } from '../../model/failure.js';
import { isContentPolicy } from './content-policy.js';
import { mailboxGroups, type PatternGroup, patternGroups, withoutCause } from './pattern-groups.js';
import { phrasesByGroup } from './phrase-table.js';
import { contains, fold, isPlain, openingOf, type Phrase, type Place, phrase, placeOf, wordingOf } from './phrases.js';
import { subjectOf } from './reply-subject.js';

/** A row of the user's own: replies to RCPT that hold the phrase mean what the group says. */
export interface UserRule {
  group: PatternGroup;
  phrase: string;
}

interface Row extends UserRule {
  matcher: Phrase;
}

/** Of more than a thousand phrases a text holds the openings of a few: only those are made ready. */
interface OurRow extends UserRule {
  /** Its place among all: the first that fits is read. */
  order: number;
  opening: string;
  matcher: Phrase | null;
}

/** What the words of a reply speak of, by which phrase, and whether that is a row of the user's own. */
export type PhraseMatch = (UserRule & { own: boolean }) | null;

/** Our rows by how they start: those for texts of ASCII alone, and those for all. */
const ours = new Map<boolean, Map<string | null, OurRow[]>>();
/** Hosts say the same few sentences to everyone. */
const read = new LruMap<PhraseMatch>({ maxEntries: 500 });
const compiled = new WeakMap<readonly UserRule[], Row[]>();

/**
 * The first group that a text without echoes speaks of: the user's rows first, then ours in the order of the groups. The local part that
 * we asked for is an echo, too, unless it is a word that refusals are made of.
 */
export function matchPhrase(text: string, extra: readonly UserRule[] = [], local = ''): PhraseMatch {
  const name = local.length > 2 && text.includes(local.toLowerCase()) && !isPhraseWord(fold(local)) ? fold(local) : '';
  if (extra.length > 0) return search(text, extra, name);
  const key = name === '' ? text : `${name}${text}`;
  const known = read.get(key);
  if (known !== undefined) return known;
  const found = search(text, extra, name);
  read.set(key, found);
  return found;
}

function search(text: string, extra: readonly UserRule[], name: string): PhraseMatch {
  const wording = wordingOf(text, name);
  const own = rowsOf(extra).find((row) => contains(wording, row.matcher));
  if (own !== undefined) return { group: own.group, phrase: own.phrase, own: true };
  let unsaid: PhraseMatch = null;
  const { text: folded, words: all } = wording.plain;
  for (const row of rowsFor(folded, all)) {
    const { group, phrase: words } = row;
    row.matcher ??= phrase(words);
    const place = placeOf(wording, row.matcher);
    if (place === null) continue;
    const meant = groupOf(group, place);
    if (meant !== null) return { group: meant, phrase: words, own: false };
    unsaid ??= { group: 'unexplained', phrase: words, own: false };
  }
  return unsaid;
}

/** Our rows whose opening a folded text of these words holds, in their order. */
function rowsFor(folded: string, words: ReadonlySet<string>): OurRow[] {
  const rows = builtIn(isPlain(folded));
  const starts = new Set<string | null>([null]);
  for (const word of words) {
    starts.add(` ${word} `);
    for (let letters = 2; letters <= 4; letters++) starts.add(` ${word.slice(0, letters)}`);
  }
  const held: OurRow[] = [];
  for (const start of starts) for (const row of rows.get(start) ?? []) if (folded.includes(row.opening)) held.push(row);
  return held.sort((one, other) => one.order - other.order);
}

/** Words on a mailbox that are said of us say why we are refused; null where they are said of something else, which may be named, too. */
function groupOf(group: PatternGroup, place: Place): PatternGroup | null {
  const ofMailbox = mailboxGroups.includes(group) && group !== 'mailbox_busy';
  if (!ofMailbox && !withoutCause.includes(group) && group !== 'refusal') return group;
  if (group === 'disabled' && isContentPolicy(place)) return 'policy';
  const full = group === 'quota' || group === 'overfull';
  switch (subjectOf(place)) {
    case 'mailbox':
      return group;
    case 'other':
      return full || !ofMailbox ? group : null;
    case 'us':
      return full ? 'rate' : 'unknown_client';
    case 'machine':
      if (full) return 'temporary';
      // RFC 7504 §4: a host may take mail of nobody.
      if (group === 'takes_no_mail') return isContentPolicy(place) ? 'policy' : group;
      return group === 'refusal' ? group : 'unknown_client';
  }
}

const vocabularies = new Map<boolean, Set<string>>();

function vocabulary(ofPlainText: boolean): Set<string> {
  const known = vocabularies.get(ofPlainText);
  if (known !== undefined) return known;
  const phrases = [...builtIn(ofPlainText).values()].flat().map((row) => row.phrase);
  // The letter between them keeps words of two from becoming one.
  const all = new Set(fold(phrases.join(' x ')).split(' '));
  vocabularies.set(ofPlainText, all);
  return all;
}

/** Whether a phrase holds the word, or goes on as it. */
function isPhraseWord(folded: string): boolean {
  const word = folded.trim();
  const words = vocabulary(isPlain(word));
  for (let end = 3; end <= word.length; end++) if (words.has(word.slice(0, end))) return true;
  return false;
}

/** Letters of these scripts fold to none of ASCII. */
const otherScripts = /[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;

/** Our rows. A text of ASCII alone holds no phrase in another script, whose letters take longer to tell from others than all the rest takes. */
function builtIn(ofPlainText: boolean): ReadonlyMap<string | null, OurRow[]> {
  const known = ours.get(ofPlainText);
  if (known !== undefined) return known;
  const rows = new Map<string | null, OurRow[]>();
  let order = 0;
  for (const [group, phrases] of phrasesByGroup()) {
    for (const words of phrases) {
      if (ofPlainText && otherScripts.test(words)) continue;
      const opening = openingOf(words);
      const start = startOf(opening);
      const alike = rows.get(start) ?? [];
      if (alike.length === 0) rows.set(start, alike);
      alike.push({ group, phrase: words, order: order++, opening, matcher: null });
    }
  }
  ours.set(ofPlainText, rows);
  return rows;
}

/** The first word, or where it may go on its first letters: looked up sooner than the text is searched. */
function startOf(opening: string): string | null {
  const end = opening.indexOf(' ', 1);
  if (end !== -1) return opening.slice(0, end + 1);
  return opening.length < 3 ? null : opening.slice(0, 5);
}

/** Makes our own rows ready, which takes some milliseconds. Where they cannot be read, the first refusal will say so. */
export function warmUpRules(): void {
  try {
    builtIn(true);
  } catch {
    // Nothing was kept, so that it is tried again.
  }
}

function rowsOf(extra: readonly UserRule[]): Row[] {
  const known = compiled.get(extra);
  if (known !== undefined) return known;
  const rows = extra.map(({ group, phrase: words }) => rowOf(group, words));
  compiled.set(extra, rows);
  return rows;
}

function rowOf(group: PatternGroup, words: string): Row {
  return { group, phrase: words, matcher: phrase(words) };
}

/** Reads a file of rows; one that cannot be read, or holds other lines, is the Failure `bad_input`. */
export async function readReplyRules(file: string): Promise<UserRule[]> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('bad_input', `The file of reply rules ${file} cannot be read (${cause.code}).`, {
      cause,
      hint: 'Give the path of a text file with one rule per line.',
    });
  });
  return parseReplyRules(text);
}

/** Rows from a text: one `group: phrase` a line, `#` begins a comment. A line that is neither is the Failure `bad_input`. */
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
