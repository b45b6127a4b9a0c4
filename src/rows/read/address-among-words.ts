/** What stands before an address and is no part of it: `-`, `3.`, `Work:`. A `#` would comment it out. */
const label = /^(?:[-–—*•·>|/+]+|\(?\d{1,6}[.)]|[^@]*:)$/;
/** What starts a remark after an address: `# vip`, `- old`, `[private]`. */
const remark = /^[-–—*•·>|/\\#=:([{]/;
/** The only address, perhaps in angle brackets, with punctuation after it. */
const addressWord = /^<?((?:mailto:)?[\p{L}\p{N}_][\p{L}\p{N}._+'-]*@[\p{L}\p{N}.-]+\.[\p{L}\p{N}-]{2,}?)>?[,;:.]*$/iu;
/** A domain that only a country can follow. */
const completeDomain = /\.(?:com|net|org|edu|gov|info|biz)$/i;
const country = /^\.?[a-z]{2}\.?$/i;
/** What may be the end of a domain with a space in it: `x.or g`, `x.co uk`, `x.ne JP`. */
const domainEnd = /^\.?(?:[a-z]{1,4}|[A-Z]{1,2})(?:\.[a-z]{2})?\.?$/;

/**
 * The address in `a@x.org # vip`, `- a@x.org`, `Work: a@x.org` or `Ada Lovelace ada@x.org`. Null if the other words may belong
 * to it: `ada lovelace@x.org`, `a@x.co uk`.
 */
export function addressAmongWords(text: string): string | null {
  const atSign = text.indexOf('@');
  if (atSign < 1 || text.includes('@', atSign + 1)) return null;
  const words = text.split(/\s+/);
  const index = words.findIndex((word) => word.includes('@'));
  const word = words[index] ?? '';
  const address = addressWord.exec(word)?.[1]?.replace(/^mailto:/i, '');
  if (address === undefined) return null;
  const before = words.slice(0, index);
  const after = words.slice(index + 1);
  const isBracketed = word.startsWith('<') && word.includes('>');
  const isClear = isBracketed || (standsBefore(before, address) && standsAfter(after, address));
  return isClear ? address : null;
}

/** True if the words before an address are a label, or a name that its local part repeats. */
function standsBefore(words: readonly string[], address: string): boolean {
  const last = words.at(-1);
  return last === undefined || label.test(last) || repeatsName(words, address);
}

/** True if the words after an address are a remark or a name, and not the end of its domain. */
function standsAfter(words: readonly string[], address: string): boolean {
  const [first] = words;
  if (first === undefined || remark.test(first) || repeatsName(words, address)) return true;
  return !(completeDomain.test(address) ? country : domainEnd).test(first);
}

function repeatsName(words: readonly string[], address: string): boolean {
  const localPart = foldName(address.slice(0, address.indexOf('@')));
  if (localPart === '') return false;
  return words
    .flatMap((word) => [foldName(word), foldName(word.normalize('NFC').replace(/[äöüß]/giu, spellOut))])
    .some((name) => name === localPart || (name.length > 2 && localPart.includes(name)));
}

/** German letters as addresses spell them: Müller is mueller. */
function spellOut(letter: string): string {
  return { ä: 'ae', ö: 'oe', ü: 'ue' }[letter.toLowerCase()] ?? 'ss';
}

/** Letters only, in lower case, without accents. */
function foldName(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase();
}
