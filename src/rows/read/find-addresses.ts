import { splitAddresses } from '../../model/several-addresses.js';
import { isFormula } from '../table/formula.js';

/** Longer than any address, short enough to show. */
const maxShownChars = 1000;

/** Invisible characters that copying from a web page or a mail program leaves around an address. */
const invisibleEnds =
  /^[\s\0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+|[\s\0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+$/g;

/** The address in a cell or line, without blanks, invisible characters, the apostrophe of our own output, and a name or quotes around it. */
export function extractAddress(text: string): string {
  let trimmed = trim(text);
  if (trimmed.charCodeAt(0) === 39 && isFormula(trimmed.slice(1))) trimmed = trim(trimmed.slice(1));
  const bare = unwrapAddress(trimmed) ?? trimmed;
  return bare.length > maxShownChars ? `${bare.slice(0, maxShownChars)}…` : bare;
}

function trim(text: string): string {
  const trimmed = text.trim();
  const hasInvisibleEnd = isInvisible(trimmed.charCodeAt(0)) || isInvisible(trimmed.charCodeAt(trimmed.length - 1));
  return hasInvisibleEnd ? trimmed.replace(invisibleEnds, '') : trimmed;
}

/** Text for a missing value: `-`, `n/a`, `NULL`. */
const placeholder = /^(?:[-–—_.?*]{1,5}|#?n[./]?a\.?|[(<[]?(?:none|null|nil|nan|unknown|undefined|empty)[)>\]]?|\\n)$/i;
const maxPlaceholderChars = 11;

/** True for a cell that stands for a missing address. */
export function isPlaceholder(cell: string): boolean {
  return cell.length <= maxPlaceholderChars && placeholder.test(cell);
}

/** A quick check before the regular expression. */
function isInvisible(code: number): boolean {
  return code === 0 || code === 0xad || (code >= 0x200b && code <= 0x2069) || code === 0xfeff;
}

/** Quotes of shells, spreadsheets, JSON and word processors, and brackets. */
const quoted = /^["'“„‘«([{](.+)["'”“’»)\]}]$/;

/** `Ada Lovelace <ada@x.org>, London`, `mailto:a@x.org`. */
const wrapped = /^(?:[^<>@]*<)?(?:(?:mailto|smtp):)?([^\s@<>"(),;:]+@[^\s@<>"(),;:&]+)(?:>[^<>@]*)?$/i;
/** A label before the address (`-`, `3.`, `Work:`), and a remark after it (`# vip`, `(Ada)`). A `#` before it comments it out. */
const labeled =
  /^(?:(?:[-–—*•·>|/+]+|\(?\d{1,6}[.)]|[^@]*:)\s+)?(?:mailto:)?([\p{L}\p{N}_][\p{L}\p{N}._+'-]*@[\p{L}\p{N}.-]+\.[\p{L}\p{N}-]{2,}?)[,;:.]*(?:\s+[-–—*•·>|/\\#=:([{][^@]*)?$/iu;

/** The address in text with something around it: `Ada <a@x.org>`, `"a@x.org",`, `a@x.org # vip`, `a@x.org&nbsp;`; null for other text. */
function unwrapAddress(text: string): string | null {
  if (text.length > maxShownChars) return null;
  const bare = text
    .replace(/&nbsp;/gi, ' ')
    .trim()
    .replace(/[\s,;]+$/, '')
    .replace(quoted, '$1');
  const isBalanced = bare.includes('<') === bare.includes('>');
  return (isBalanced ? wrapped.exec(bare)?.[1] : null) ?? labeled.exec(bare)?.[1] ?? null;
}

/** True for a cell with an address in it, perhaps among other text. */
export function containsAddress(cell: string): boolean {
  return /[^\s@]@[^\s@]/.test(cell);
}

/** True for a cell that is just an address. */
export function isBareAddress(cell: string): boolean {
  return /^\s*[^\s@<>",;]+@[^\s@<>",;]+\.[^\s@<>",;.]+\s*$/.test(cell);
}

/** The ASCII characters of most addresses: letters, digits and `_.-` anywhere, and a plus before the @. */
const plainCharacters = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** True for most addresses, which need no closer look. */
export function isPlainAddress(cell: string): boolean {
  const { length } = cell;
  let atSign = 0;
  for (let index = 0; index < length; index++) {
    const code = cell.charCodeAt(index);
    if (plainCharacters[code] === 1) continue;
    if (code === 0x40 && atSign === 0) atSign = index;
    else if (code !== 0x2b || atSign !== 0) return false;
    if (atSign === 0 && code === 0x40) return false;
  }
  return atSign > 0 && atSign < length - 1;
}

/** True for one address among other text: `Ada <a@x.org>`, `mailto:a@x.org`, `1,a@x.org`, `1|a@x.org`. */
export function isEmbeddedAddress(cell: string): boolean {
  // An address may have a |, but hardly any does.
  if (cell.includes('|') && cell.split('|').filter(isBareAddress).length === 1) return true;
  if (!/[\s<>",;:()\u200b-\u200f\u2060\ufeff]/.test(cell)) return false;
  const [found, ...others] = findAddresses(cell);
  return found !== undefined && others.length === 0 && found !== cell;
}

/** The addresses of an argument or a line: one, or each of several. */
export function readAddresses(text: string): string[] {
  return (splitAddresses(text) ?? [text]).map(extractAddress);
}

const localPart = /[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]/u;
const domainPart = /[\p{L}\p{N}.-]/u;
/** Message identifiers look like addresses. */
const messageIds = /^(?:Message-ID|In-Reply-To|References|Content-ID|X-[\w-]*Message-ID):/i;

/** Text before an @ that is looked at for a link. */
const linkChars = 300;
/** The user and password of a link: `https://user:password@host`. */
const userInfo = /:\/\/[^\s/?#<>"]*$/;
/** A link in which an address is a parameter or a part of the path. */
const link = /:\/\/|\bwww\.|[?&][\w.-]+=/;
/** `email=` of a form or a log. */
const formField =
  /^(?:\w*[_.-])?(?:e-?mail|mail|user|login|account|contact|to|from|b?cc|recipient|rcpt|sender|address|addr)=/i;

/** The local part that ends at this position, without the link, the form field or the other address before it; null for user info of a link. */
function localPartBefore(text: string, start: number, atSign: number): string | null {
  const before = text.slice(Math.max(0, atSign - linkChars), atSign);
  if (userInfo.test(before)) return null;
  const local = text.slice(start, atSign);
  const isGlued = text.charAt(start - 1) === '@' || link.test(before.slice(before.lastIndexOf(' ') + 1));
  const bare = isGlued ? local.slice(local.search(/[^/?&=#|]*$/)) : local.replace(formField, '');
  // Remains of quoted-printable and punctuation.
  return bare.replace(/^(?:=3D|=|[/?'.*|{}&#!$%^~`-])+/, '');
}

/** All addresses in a line of any text: HTML, vCard, a mail header. Takes linear time. */
export function findAddresses(line: string): string[] {
  if (!line.includes('@') && !/&#|&commat;|%40/i.test(line)) return [];
  if (messageIds.test(line)) return [];
  const text = line.replace(/&#0*64;|&#x0*40;|&commat;|%40/gi, '@');
  const found: string[] = [];
  for (let atSign = text.indexOf('@'); atSign !== -1; atSign = text.indexOf('@', atSign + 1)) {
    let start = atSign;
    while (start > 0 && atSign - start < 64 && localPart.test(text.charAt(start - 1))) start--;
    let end = atSign + 1;
    while (end < text.length && end - atSign < 255 && domainPart.test(text.charAt(end))) end++;
    const local = localPartBefore(text, start, atSign);
    const domain = text.slice(atSign + 1, end).replace(/[.-]+$/, '');
    if (local !== null && local !== '' && /^[^.-].*\.[^.]{2,}$/.test(domain)) found.push(`${local}@${domain}`);
  }
  return found;
}
