import { isFormula } from '../table/formula.js';

/** Far longer than any address, and yet short enough to show. */
const maxShownChars = 1000;

/** What a web page or a mail program leaves around an address that is copied from it, and nobody sees. */
const unseenAround =
  /^[\s\0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+|[\s\0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+$/g;

/**
 * The address in a cell or line: without blanks and unseen characters around it, without the apostrophe that our own output put before it, and out
 * of what people write around one address.
 */
export function addressIn(text: string): string {
  let trimmed = text.trim();
  if (isUnseen(trimmed.charCodeAt(0)) || isUnseen(trimmed.charCodeAt(trimmed.length - 1))) {
    trimmed = trimmed.replace(unseenAround, '');
  }
  if (trimmed.charCodeAt(0) === 39 && isFormula(trimmed.slice(1))) trimmed = trimmed.slice(1);
  const bare = unwrapped(trimmed) ?? trimmed;
  return bare.length > maxShownChars ? `${bare.slice(0, maxShownChars)}…` : bare;
}

/** What programs and people write where there is nothing: `-`, `n/a`, `NULL`. Nobody mistypes an address that way. */
const placeholder = /^(?:[-–—_.?*]{1,5}|#?n[./]?a\.?|[(<[]?(?:none|null|nil|nan|unknown|undefined|empty)[)>\]]?|\\n)$/i;
const longestPlaceholder = 11;

/** True for a cell that says that there is no address. */
export function isPlaceholder(cell: string): boolean {
  return cell.length <= longestPlaceholder && placeholder.test(cell);
}

/** Whether it may be one of those; nearly all text is spared a closer look. */
function isUnseen(code: number): boolean {
  return code === 0 || code === 0xad || (code >= 0x200b && code <= 0x2069) || code === 0xfeff;
}

/** What an address with something around it ends in. */
const closers = new Set('>,;)"\'”’');
/** As shells, spreadsheets and JSON quote a text. */
const quoted = /^(?:"(.+)"|'(.+)'|“(.+)”|‘(.+)’)$/;

/** The address in what is nothing else to people: `Ada Lovelace <ada@x.org>`, `"a@x.org",`, `a@x.org (Ada)`, `mailto:a@x.org`. Null where it is something else. */
export function unwrapped(text: string): string | null {
  // Nearly all addresses are spared a closer look: the others end in one of those, or have a colon near their start.
  if (!closers.has(text.charAt(text.length - 1)) && text.charCodeAt(6) !== 0x3a) return null;
  if (text.length > maxShownChars) return null;
  const bare = text.replace(/[\s,;]+$/, '').replace(quoted, '$1$2$3$4');
  const found = /^(?:[^<>@]*<)?(?:mailto:)?([^\s@<>"(),;:]+@[^\s@<>"(),;:]+)(?:>|\s\([^@()]*\))?$/i.exec(bare);
  return found?.[1] === undefined || bare.includes('<') !== bare.endsWith('>') ? null : found[1];
}

/** True for a cell that holds an address, perhaps with more around it. */
export function holdsAddress(cell: string): boolean {
  return /[^\s@]@[^\s@]/.test(cell);
}

/** True for a cell that is an address and nothing else. */
export function isBareAddress(cell: string): boolean {
  return /^\s*[^\s@<>",;]+@[^\s@<>",;]+\.[^\s@<>",;.]+\s*$/.test(cell);
}

/** True for nearly all addresses there are: nothing stands around them, and they are one. */
export function isOrdinary(cell: string): boolean {
  return /^[\w.+-]+@[\w.-]+$/.test(cell);
}

/** True for an address with something around it that is no part of one: `Ada <a@x.org>`, `mailto:a@x.org`, `1,a@x.org`. */
export function isFramed(cell: string): boolean {
  if (!/[\s<>",;:()\u200b-\u200f\u2060\ufeff]/.test(cell)) return false;
  const [found, ...others] = addressesInText(cell);
  return found !== undefined && others.length === 0 && found !== cell;
}

/** The addresses of a text that holds several: `a@x.org, b@y.org`, or an Outlook paste `Ada <a@x.org>; Bob <b@y.org>`. Null where it does not. */
export function severalAddresses(text: string): string[] | null {
  const first = text.indexOf('@');
  if (first === -1 || text.indexOf('@', first + 1) === -1 || text.length > maxSeveralChars) return null;
  const found = text
    .split(/[\s,;|]+/)
    .map((word) => word.replace(/^(?:[<("']|mailto:)+|[>)"'.]+$/gi, ''))
    // One that is mistyped (`b@@y.org`) is an address, too, and not to be lost among the others.
    .filter((word) => word.includes('@'));
  // A quote within a word is part of an address that is not ours to take apart.
  const isSeveral = found.filter((word) => /^[^@]+@[^@]+$/.test(word)).length > 1;
  return isSeveral && !found.some((word) => word.includes('"')) ? found : null;
}

const maxSeveralChars = 64 * 1024;

const localPart = /[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]/u;
const domainPart = /[\p{L}\p{N}.-]/u;
/** Identifiers of messages look like addresses, and are none. */
const messageIds = /^(?:Message-ID|In-Reply-To|References|Content-ID|X-[\w-]*Message-ID):/i;

/** Every address in a line of any text: HTML, vCard, a mail's header. Linear in its length. */
export function addressesInText(line: string): string[] {
  if (!line.includes('@') && !/&#|&commat;|%40/i.test(line)) return [];
  if (messageIds.test(line)) return [];
  const text = line.replace(/&#0*64;|&#x0*40;|&commat;|%40/gi, '@');
  const found: string[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start < 64 && localPart.test(text.charAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && end - at < 255 && domainPart.test(text.charAt(end))) end++;
    // What quoted-printable, links and punctuation leave before and behind.
    const local = text.slice(start, at).replace(/^(?:=3D|=|[/?'.*|{}&#!$%^~`-])+/, '');
    const domain = text.slice(at + 1, end).replace(/[.-]+$/, '');
    if (local !== '' && /^[^.-].*\.[^.]{2,}$/.test(domain)) found.push(`${local}@${domain}`);
  }
  return found;
}

/** A text with addresses in it that is no list. */
export interface TextKind {
  name: string;
  /** Two lines as the one that was broken in two to keep them short; null where they are two. */
  join: (line: string, next: string) => string | null;
}

/** RFC 6350 §3.2 and RFC 2849: a blank at the beginning goes on with the line before. */
const byIndent: TextKind['join'] = (line, next) => (/^[ \t]/.test(next) ? line + next.slice(1) : null);
/** RFC 2045 §6.7: an equals sign at the end is a line end that is none. */
const byEqualsSign: TextKind['join'] = (line, next) => (line.endsWith('=') ? line.slice(0, -1) + next : null);
const never: TextKind['join'] = () => null;

const textKinds: readonly (TextKind & { start: RegExp })[] = [
  { name: 'a vCard file', join: byIndent, start: /^BEGIN:VCARD/i },
  { name: 'an LDIF file', join: byIndent, start: /^(?:#[^\n]*\n|version: *1\s*\n|\s)*dn::? *\S/i },
  {
    name: 'a table drawn as text',
    join: never,
    start: /^\+-{2,}[+-]*\+\s|^\|[^\n]*\|\s*\n\|[\s:|-]+\|\s/,
  },
  { name: 'a mailbox (mbox)', join: byEqualsSign, start: /^From \S+@\S+ +\w{3} +\w{3} +\d/ },
  {
    name: 'an HTML or XML page',
    join: never,
    start: /^(?:<!doctype html|<html|<head|<body|<table|<div|<\?xml)/i,
  },
  {
    name: 'an email message',
    join: byEqualsSign,
    start:
      /^(?:Return-Path|Received|Delivered-To|X-[\w-]+|From|To|Date|Subject|MIME-Version|DKIM-Signature):[^\n]*\r?\n(?:[\w-]+:|\s)/i,
  },
];

/** What kind of text with addresses in it a file looks like; null where it looks like a list. */
export function textKind(sample: string): TextKind | null {
  const beginning = sample.slice(0, 4000).trimStart();
  return textKinds.find(({ start }) => start.test(beginning)) ?? null;
}
