import type { Address, SyntaxFault } from '../../model/address.js';
import { splitAddresses } from '../../model/several-addresses.js';
import { isAtext } from './characters.js';
import { fault as makeFault } from './fault.js';
import { readMailbox } from './mailbox.js';
import { repairCandidates } from './repairs.js';

/** Limit for nested wrappings. */
const maxDepth = 3;
/** In longer text, invisible characters do not separate addresses. */
const maxSeparatedChars = 1000;

type MistakeRule = (text: string, correct: Correct, fault: SyntaxFault) => SyntaxFault | null;
type Correct = (text: string) => string | null;

/** Replaces a fault by the common mistake behind it, and adds the corrected address if it is clear. */
export function recognizeMistake(text: string, fault: SyntaxFault): SyntaxFault {
  return fault.code === 'address_too_long' ? (asSeveral(text) ?? fault) : findMistake(text, fault, 0);
}

function findMistake(text: string, fault: SyntaxFault, depth: number): SyntaxFault {
  const start = skipBlanks(text);
  const end = skipBlanksBack(text, start);
  if (start === text.length) return makeFault('empty', 0, 'The address is empty: write it as name@domain.');
  if (end - start < text.length) return findMistakeTrimmed(text, start, end, depth);
  if (mayBeWrapped(text)) {
    const correct: Correct = (inner) => correctedAddress(inner, depth + 1);
    for (const rule of mistakeRules) {
      const mistake = rule(text, correct, fault);
      if (mistake) return mistake;
    }
  }
  for (const candidate of repairCandidates(text, fault)) {
    const suggestion = render(candidate);
    if (suggestion !== null) return { ...fault, suggestion };
  }
  return fault;
}

/** A quick check that rules out every wrapping for most texts. */
function mayBeWrapped(text: string): boolean {
  if (quotePairs.has(text.charAt(0))) return true;
  let ats = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x40) ats++;
    else if (code > 127 || (code !== 0x2e && !isAtext(code))) return true;
  }
  return ats > 1;
}

/** Reports the blanks only if nothing else is wrong. */
function findMistakeTrimmed(text: string, start: number, end: number, depth: number): SyntaxFault {
  const trimmed = text.slice(start, end);
  const read = readMailbox(trimmed);
  if (!read.ok) {
    const inner = findMistake(trimmed, read.fault, depth);
    return { ...inner, position: inner.position + start };
  }
  const side = start > 0 ? 'before' : 'after';
  const message = `There is a space or an invisible character ${side} the address: delete it.`;
  return makeFault('surrounding_space', start > 0 ? 0 : end, message, renderForDisplay(read.address));
}

/** The address, or the corrected address, of a text. */
function correctedAddress(text: string, depth: number): string | null {
  const read = readMailbox(text);
  if (read.ok) return renderForDisplay(read.address);
  return depth < maxDepth ? findMistake(text, read.fault, depth).suggestion : null;
}

/** The candidate in display form, or null if it is not an address. */
function render(candidate: string): string | null {
  const read = readMailbox(candidate);
  return read.ok ? renderForDisplay(read.address) : null;
}

function renderForDisplay(address: Address): string {
  return `${address.localPart}@${address.displayDomain}`;
}

const mistakeRules: readonly MistakeRule[] = [
  asMailto,
  asWebAddress,
  asSeveral,
  asBracketed,
  asCommented,
  asQuotedWhole,
  asFullWidth,
  asSpelledOut,
];

function asMailto(text: string, correct: Correct): SyntaxFault | null {
  const prefix = text.includes(':') ? /^(?:mailto|e-?mail|mail):/i.exec(text)?.[0] : undefined;
  if (prefix === undefined) return null;
  const suggestion = correct(textBefore(text.slice(prefix.length), '?'));
  return makeFault('mailto_scheme', 0, `Leave out "${prefix}" and write only the address.`, suggestion);
}

function asWebAddress(text: string, correct: Correct): SyntaxFault | null {
  const scheme = text.includes('://') ? /^[a-z]{2,10}:\/\//i.exec(text)?.[0] : undefined;
  if (scheme === undefined) return null;
  const authority = textBefore(text.slice(scheme.length), '/');
  const message = 'This is a web address, not an email address.';
  return makeFault('web_address', 0, message, authority.includes('@') ? correct(authority) : null);
}

function asSeveral(text: string): SyntaxFault | null {
  let position = text.indexOf('@');
  if (position === text.lastIndexOf('@')) return null;
  // A line with a mail header is an injection, not a list.
  const isInjection = /[\r\n](?:b?cc|to|from|sender|reply-to|subject):/i.test(text);
  if ((isInjection || splitAddresses(text) === null) && !hasSeveralAddresses(text)) return null;
  while (position < text.length && !isSeparator(text.charCodeAt(position))) position++;
  return makeFault('several_addresses', position, 'There is more than one address here: give them one at a time.');
}

/** True for two valid addresses, also with an invisible character between them. */
function hasSeveralAddresses(text: string): boolean {
  if (text.length > maxSeparatedChars) return false;
  let count = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    if (i < text.length && !isSeparator(text.charCodeAt(i))) continue;
    if (i - start < text.length && render(withoutAngles(text.slice(start, i))) !== null) count++;
    start = i + 1;
  }
  return count > 1;
}

function asBracketed(text: string, correct: Correct, fault: SyntaxFault): SyntaxFault | null {
  const open = text.lastIndexOf('<');
  const close = text.indexOf('>', open + 1);
  // Brackets before the fault are inside quotes, and valid.
  if (fault.position > Math.max(open, close)) return null;
  const inner = text.slice(open + 1, close < 0 ? text.length : close);
  // RFC 5321 §4.1.2: a source route, which receivers strip.
  const route = inner.startsWith('@') ? inner.indexOf(':') : -1;
  if (route >= 0) {
    const message = 'Source routes ("@relay:") are obsolete: write only the address after the colon.';
    return makeFault('obsolete_form', open + 1, message, correct(inner.slice(route + 1)));
  }
  if (text.slice(0, Math.max(open, 0)).replace(/[<\s]/g, '') === '') {
    const message = 'Leave out the angle brackets and write only the address.';
    return makeFault('angle_brackets', open < 0 ? close : 0, message, correct(inner));
  }
  if (!inner.includes('@')) return null;
  return makeFault(
    'display_name',
    0,
    'Leave out the name and the angle brackets, and write only the address.',
    correct(inner),
  );
}

function asCommented(text: string, _correct: Correct, fault: SyntaxFault): SyntaxFault | null {
  const open = text.indexOf('(');
  if (open < 0 || (fault.code !== 'comment' && fault.code !== 'contains_space')) return null;
  const suggestion = render(withoutComments(text));
  if (suggestion === null) return null;
  const message = 'Leave out the comment in parentheses and write only the address.';
  return makeFault('comment', open, message, suggestion);
}

function withoutComments(text: string): string {
  let depth = 0;
  let result = '';
  for (const character of text) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (depth <= 0) result += character;
  }
  return result.trim();
}

const quotePairs = new Map(
  ['""', "''", '``', '“”', '„“', '‘’', '«»', '()', '[]', '{}'].map(([open, close]) => [open, close]),
);

function asQuotedWhole(text: string, correct: Correct): SyntaxFault | null {
  const close = quotePairs.get(text.charAt(0));
  if (close === undefined || text.length < 3 || !text.endsWith(close)) return null;
  const suggestion = correct(text.slice(1, -1));
  if (suggestion === null) return null;
  const wrapping = '([{'.includes(text.charAt(0)) ? 'brackets' : 'quotes';
  return makeFault('surrounding_quotes', 0, `Leave out the ${wrapping} around the address.`, suggestion);
}

function asFullWidth(text: string, correct: Correct): SyntaxFault | null {
  const position = text.includes('@') ? -1 : text.search(/[\uff20\ufe6b]/);
  if (position < 0) return null;
  const narrow = text.replace(/\ufe6b/g, '@').replace(/[\uff01-\uff5e]/g, toNarrow);
  const message = 'This @ is a full-width character: write the plain @ instead.';
  return makeFault('fullwidth_at', position, message, correct(narrow));
}

/** Full-width forms are in ASCII order. */
function toNarrow(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) - 0xfee0);
}

/** `jane (at) example dot com` */
function asSpelledOut(text: string, correct: Correct): SyntaxFault | null {
  if (text.includes('@')) return null;
  const word = /(?<=[\s([{<])at(?=[\s)\]}>])/i.exec(text);
  if (!word) return null;
  const words = text.replace(/[()[\]{}<>]/g, ' ').split(/\s+/);
  const suggestion = correct(words.map(symbolOf).join(''));
  return suggestion === null
    ? null
    : makeFault('missing_at', word.index, 'Write the sign @ in place of the word "at".', suggestion);
}

function symbolOf(word: string): string {
  const lower = word.toLowerCase();
  return lower === 'at' ? '@' : lower === 'dot' ? '.' : word;
}

function textBefore(text: string, mark: string): string {
  const index = text.indexOf(mark);
  return index < 0 ? text : text.slice(0, index);
}

function withoutAngles(piece: string): string {
  return piece.startsWith('<') && piece.endsWith('>') ? piece.slice(1, -1) : piece;
}

function isSeparator(code: number): boolean {
  return code === 0x2c || code === 0x3b || code === 0x7c || code === 0x3001 || code === 0xff0c || isBlank(code);
}

function skipBlanks(text: string): number {
  let start = 0;
  while (start < text.length && isBlank(text.charCodeAt(start))) start++;
  return start;
}

function skipBlanksBack(text: string, start: number): number {
  let end = text.length;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Unicode white space, and invisible characters from copied text. */
function isBlank(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return /[\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]/.test(String.fromCharCode(code));
}
