import type { SyntaxFault } from '../../model/address.js';
import { characterAt, isAscii, isAtext, nameCharacter, octetsOf } from './characters.js';
import { type CharacterFault, fault, faultOfCharacter, isFault } from './fault.js';
import { unicodePattern } from './unicode-pattern.js';
import { findUnsafe } from './unsafe-characters.js';

export interface LocalPart {
  /** The form for SMTP: NFC, and quoted only if necessary. */
  wire: string;
  /** The text without quotes and backslashes. */
  content: string;
  /** Octets including quotes, limited by RFC 5321 §4.5.3.1.1. */
  octets: number;
  /** Index of the @ in the text. */
  at: number;
}

const maxOctets = 64;
const dot = 0x2e;
const at = 0x40;
const quote = 0x22;
const backslash = 0x5c;

/** Reads the local part at the start of a text, up to its @ (RFC 5321 §4.1.2, RFC 6531 §3.3). */
export function readLocalPart(text: string): LocalPart | SyntaxFault {
  if (text === '') return fault('empty', 0, 'The address is empty: write it as name@domain.');
  if (!text.includes('@')) {
    const message = 'There is no @ in this address: write it as name@domain, such as jane@example.com.';
    return fault('missing_at', text.length, message);
  }
  const span = text.charCodeAt(0) === quote ? scanQuoted(text) : scanDotString(text);
  return isFault(span) ? span : toLocalPart(text, span);
}

interface Span {
  end: number;
  content: string;
  isDotString: boolean;
}

function scanDotString(text: string): Span | SyntaxFault {
  let previous = dot;
  let i = 0;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === at) break;
    if (code === dot) {
      if (i === 0) return fault('local_leading_dot', 0, 'The address starts with a dot: delete it.');
      if (previous === dot) {
        return fault('local_double_dot', i, 'There are two dots in a row before the @: keep only one.');
      }
    } else if (!isAtext(code)) {
      return badCharacter(text, i);
    }
    previous = code;
  }
  if (i === 0) return fault('local_empty', 0, 'There is nothing before the @: write the name of the mailbox there.');
  if (previous === dot) return fault('local_trailing_dot', i - 1, 'There is a dot right before the @: delete it.');
  return { end: i, content: text.slice(0, i), isDotString: true };
}

function scanQuoted(text: string): Span | SyntaxFault {
  let content = '';
  let runStart = 1;
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === backslash) {
      content += text.slice(runStart, i);
      runStart = ++i;
      // RFC 6531 §3.3 extends the quoted text, not the quoted pair.
      if (text.charCodeAt(i) > 0x7e) {
        return fault('quote_bad_character', i, 'Inside quotes, a backslash can only precede an ASCII character.');
      }
    } else if (code === quote) {
      const nextCode = text.charCodeAt(i + 1);
      if (nextCode !== at) return afterQuote(text, i + 1);
      content += text.slice(runStart, i);
      return { end: i + 1, content, isDotString: isDotString(content) };
    }
  }
  return fault('quote_unclosed', 0, 'The address opens a quote (") that it does not close before the @.');
}

function afterQuote(text: string, position: number): SyntaxFault {
  if (position === text.length) {
    return fault(
      'missing_at',
      position,
      'The @ and the domain must come after the closing quote, not inside the quotes.',
    );
  }
  if (text.charCodeAt(position) === dot) {
    return fault('obsolete_form', position, 'Quotes must enclose the whole part before the @, not a piece of it.');
  }
  return fault('quote_trailing_text', position, 'Only the @ may follow the closing quote.');
}

function toLocalPart(text: string, { end, content, isDotString }: Span): LocalPart | SyntaxFault {
  if (isAscii(content)) {
    if (end > maxOctets) return tooLong(text, end, end);
    return { wire: isDotString ? content : quoteContent(content), content, octets: end, at: end };
  }
  const unsafe = findUnsafe(text, 0, end, 'local_bad_character') ?? findLeadingMark(text, content);
  if (unsafe) return unsafe;
  // RFC 6532 §3.1 asks senders for NFC, so other forms are normalized, not rejected.
  const octets = octetsOf(text.slice(0, end).normalize('NFC'));
  if (octets > maxOctets) return tooLong(text, end, octets);
  const normal = content.normalize('NFC');
  return { wire: isDotString ? normal : quoteContent(normal), content: normal, octets, at: end };
}

const leadingMark = unicodePattern(String.raw`^\p{M}`);

/** A leading combining mark would attach to the text before the address. */
function findLeadingMark(text: string, content: string): SyntaxFault | null {
  if (!leadingMark().test(content)) return null;
  const position = text.charCodeAt(0) === quote ? 1 : 0;
  const name = nameCharacter(characterAt(content, 0));
  return fault(
    'local_bad_character',
    position,
    `The address starts with an accent or mark (${name}) that has no letter.`,
  );
}

function tooLong(text: string, end: number, octets: number): SyntaxFault {
  let used = 0;
  let position = 0;
  while (position < end) {
    const character = characterAt(text, position);
    used += octetsOf(character);
    if (used > maxOctets) break;
    position += character.length;
  }
  const message = `The part before the @ is ${octets} octets long; at most ${maxOctets} are allowed.`;
  return fault('local_too_long', Math.min(position, end - 1), message);
}

function quoteContent(content: string): string {
  return `"${content.replace(/["\\]/g, '\\$&')}"`;
}

function isDotString(content: string): boolean {
  let previous = dot;
  for (let i = 0; i < content.length; i++) {
    const code = content.charCodeAt(i);
    if (code === dot ? previous === dot : !isAtext(code)) return false;
    previous = code;
  }
  return previous !== dot;
}

const faults: Readonly<Record<string, CharacterFault>> = {
  ' ': ['contains_space', 'There is a space before the @: addresses have no spaces.'],
  '"': ['obsolete_form', 'Quotes must enclose the whole part before the @, not a piece of it.'],
  '\\': ['obsolete_form', 'A backslash is allowed only inside quotes, as in "a\\"b"@example.com.'],
};

function badCharacter(text: string, position: number): SyntaxFault {
  const character = characterAt(text, position);
  const message = `The part before the @ cannot contain ${nameCharacter(character)}.`;
  return faultOfCharacter(character, position, faults, ['local_bad_character', message]);
}
