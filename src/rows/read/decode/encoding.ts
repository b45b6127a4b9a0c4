import { Failure } from '../../../model/failure.js';

/** The name of the encoding of a whole input; `mixed` is UTF-8 wherever a line is valid UTF-8, and something older elsewhere. */
export type Encoding = string;

/** What other programs call encodings that TextDecoder knows by another name. */
const otherNames: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  ms932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  uhc: 'euc-kr',
  cp950: 'big5',
  cp65001: 'utf-8',
  'latin-1': 'latin1',
  'utf-8-sig': 'utf-8',
};

/** The encoding that a user names; one that nobody knows is a Failure. */
export function parseEncoding(name: string): Encoding {
  const label = name.trim().toLowerCase();
  try {
    return new TextDecoder(otherNames[label] ?? label).encoding;
  } catch (cause) {
    throw new Failure('usage', `"${name}" is not an encoding that mailvet knows.`, {
      hint: 'Known are utf-8, utf-16le, utf-16be, windows-1250 to windows-1258, iso-8859-1 to -16, shift_jis, euc-jp, gb18030, big5, euc-kr, koi8-r and more.',
      cause,
    });
  }
}

const kana = /[\u3041-\u30ff]/;
/** Signs of Japanese that come in runs: kana, kanji, the marks among them, and full-width letters. */
const japaneseRun = /[\u3001-\u3015\u3041-\u30ff\u4e00-\u9fff\uff01-\uff5e]+/g;
const strictShiftJis = new TextDecoder('shift_jis', { fatal: true });

/**
 * Whether a line that is not UTF-8 is Shift-JIS rather than windows-1252. Every byte of Shift-JIS may occur in windows-1252, but there a
 * curly quote or an accented letter stands alone among letters, while Japanese comes in runs.
 */
export function isShiftJis(line: Uint8Array): boolean {
  let text: string;
  try {
    text = strictShiftJis.decode(line);
  } catch {
    return false;
  }
  // Private use: where only somebody's own signs are.
  if (/[\ue000-\uf8ff]/.test(text)) return false;
  const runs = text.match(japaneseRun) ?? [];
  const alone = runs.filter((run) => run.length === 1).length;
  const inRuns = runs.reduce((sum, run) => sum + run.length, 0) - alone;
  return inRuns >= 2 && inRuns > 2 * alone && (kana.test(text) || inRuns >= 4 || leadsAreJapanese(line));
}

/** The lead bytes of common kanji (0x88 … 0x97) are quotes, dashes and rare letters in windows-1252, never two in a word. */
function leadsAreJapanese(line: Uint8Array): boolean {
  let high = 0;
  let leads = 0;
  for (const byte of line) {
    if (byte < 0x80) continue;
    high++;
    if (byte >= 0x81 && byte <= 0x9f) leads++;
  }
  return leads >= 2 && leads * 2 >= high;
}
