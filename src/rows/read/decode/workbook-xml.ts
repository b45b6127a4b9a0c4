/** Longer than any cell, which has at most 32,767 characters: more than that in one tag or text is no list. */
const maxTokenChars = 1024 * 1024;

/** A limit that a workbook exceeds, such as "more than 16,384 columns". */
export class LimitExceeded extends Error {}

/** A tag, `/name` at its end, and the text before it. An element without content has both tags. */
type OnTag = (name: string, attributes: string, text: string) => void;

/** Splits XML, pushed in any pieces, into tags without their prefixes. */
export class XmlScanner {
  #rest = '';
  #text = '';

  constructor(private readonly onTag: OnTag) {}

  push(piece: string): void {
    const xml = this.#rest + piece;
    let start = 0;
    for (let open = xml.indexOf('<'); open !== -1; open = xml.indexOf('<', start)) {
      const endMark = xml.charCodeAt(open + 1) === 33 ? endOfDeclaration(xml, open) : '>';
      const close = xml.indexOf(endMark, open);
      if (close === -1) break;
      this.#text += xml.slice(start, open);
      if (endMark === ']]>') this.#text += xml.slice(open + 9, close).replaceAll('&', '&amp;');
      else if (endMark === '>') this.#tag(xml, open + 1, close);
      start = close + endMark.length;
    }
    this.#rest = start === 0 ? xml : xml.slice(start);
    if (this.#rest.length + this.#text.length > maxTokenChars) throw new LimitExceeded('more than 1 MB in a cell');
  }

  #tag(xml: string, start: number, close: number): void {
    let end = start + 1;
    let nameStart = start;
    for (let code = xml.charCodeAt(end); end < close && code > 32 && code !== 47; code = xml.charCodeAt(++end))
      if (code === 58) nameStart = end + 1;
    const isEnd = xml.charCodeAt(start) === 47;
    const name = isEnd && nameStart > start ? `/${xml.slice(nameStart, end)}` : xml.slice(nameStart, end);
    this.onTag(name, isEnd ? '' : xml.slice(end, close), this.#text);
    this.#text = '';
    if (!isEnd && xml.charCodeAt(close - 1) === 47) this.onTag(`/${name}`, '', '');
  }
}

function endOfDeclaration(xml: string, open: number): string {
  if (xml.startsWith('<!--', open)) return '-->';
  return xml.startsWith('<![CDATA[', open) ? ']]>' : '>';
}

/** The value of an attribute; empty if there is none. */
export function attribute(attributes: string, name: string): string {
  for (let at = attributes.indexOf(`${name}=`); at !== -1; at = attributes.indexOf(`${name}=`, at + 1)) {
    const quote = attributes.charAt(at + name.length + 1);
    const before = attributes.charCodeAt(at - 1);
    if ((quote !== '"' && quote !== "'") || !(before <= 32 || before === 58)) continue;
    const start = at + name.length + 2;
    return decodeEntities(attributes.slice(start, attributes.indexOf(quote, start)));
  }
  return '';
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Replaces the references in UTF-8 that is held as one character for each byte. */
export function decodeEntities(bytes: string): string {
  if (!bytes.includes('&')) return bytes;
  return bytes.replace(/&(?:#(x?)([\da-f]{1,7})|(\w+));/gi, (text, hex: string, digits: string, name: string) => {
    if (name !== undefined) return entities[name] ?? text;
    const code = Number.parseInt(digits, hex === '' ? 10 : 16);
    return code <= 0x10ffff ? utf8(String.fromCodePoint(code)) : text;
  });
}

/** A text as the bytes of its UTF-8, one character each. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}
