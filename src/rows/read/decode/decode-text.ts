import { lineByLine } from './decode-lines.js';
import type { Decoder, OddLines } from './decoder.js';
import type { Encoding } from './encoding.js';
import { decode1252 } from './windows-1252.js';

const byteOrderMark = 0xfeff;
const empty: Buffer = Buffer.alloc(0);

/** A decoder that drops a leading byte order mark, and the Ctrl-Z with which old programs end a file. */
export function createDecoder(encoding: Encoding): Decoder {
  const inner =
    encoding === 'mixed'
      ? lineByLine()
      : encoding === 'utf-16le' || encoding === 'utf-16be'
        ? utf16(encoding)
        : declared(encoding);
  let started = false;
  let dropped = 0;
  const withoutMark = (text: string): string => {
    if (started || text === '') return text;
    started = true;
    dropped = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
    return text.slice(dropped);
  };
  return {
    ...inner,
    odd: () => {
      const odd = inner.odd();
      return odd === null ? null : { ...odd, firstAt: odd.firstAt - dropped };
    },
    decode: (bytes) => withoutMark(inner.decode(bytes)),
    end: () => withoutMark(inner.end()).replace(/(^|[\r\n])\x1a+$/, '$1'),
  };
}

/** Everything in the one encoding that the user named. */
function declared(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let given = 0;
  let odd: OddLines | null = null;
  const watch = (text: string): string => {
    for (let at = text.indexOf('\ufffd'); at !== -1; ) {
      odd ??= { firstAt: given + at, lines: 0, readAs: null, sure: true, strangers: 0 };
      odd.lines++;
      const feed = text.indexOf('\n', at);
      at = feed === -1 ? -1 : text.indexOf('\ufffd', feed);
    }
    given += text.length;
    return text;
  };
  const single = encoding === 'windows-1252';
  return {
    decode: (bytes) => watch(single ? decode1252(bytes) : decoder.decode(bytes, { stream: true })),
    end: () => watch(single ? '' : decoder.decode()),
    odd: () => odd,
    sound: () => true,
  };
}

function utf16(encoding: Encoding): Decoder {
  let carry = empty;
  let given = 0;
  return {
    decode(piece) {
      const bytes = Buffer.concat([carry, piece]);
      const whole = bytes.length - (bytes.length % 2);
      carry = bytes.subarray(whole);
      const units = bytes.subarray(0, whole);
      const text = (encoding === 'utf-16be' ? units.swap16() : units).toString('utf16le');
      given += text.length;
      return text;
    },
    end: () => (carry.length === 0 ? '' : '\ufffd'),
    odd: () => (carry.length === 0 ? null : { firstAt: given, lines: 1, readAs: null, sure: true, strangers: 0 }),
    sound: () => true,
  };
}
