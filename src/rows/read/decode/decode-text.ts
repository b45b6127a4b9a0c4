import { createByteDecoder, isDosEncoding } from './byte-decoder.js';
import { LineDecoder } from './decode-lines.js';
import { type Decoder, decode1252, type ForeignLines } from './decoder.js';
import type { Encoding } from './encoding.js';

const byteOrderMark = 0xfeff;
const ctrlZ = 0x1a;
const empty: Buffer = Buffer.alloc(0);

/** A decoder that drops a leading byte order mark, and the Ctrl-Z with which old programs end a file. */
export function createDecoder(encoding: Encoding): Decoder {
  const inner =
    encoding === 'mixed'
      ? new LineDecoder()
      : encoding === 'utf-16le' || encoding === 'utf-16be'
        ? utf16Decoder(encoding)
        : declaredDecoder(encoding);
  let hasStarted = false;
  let dropped = 0;
  const withoutMark = (text: string): string => {
    if (hasStarted || text === '') return text;
    hasStarted = true;
    dropped = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
    return text.slice(dropped);
  };
  // Ctrl-Z characters mark the end of the file only if nothing follows them.
  let held = '';
  let isAtLineStart = true;
  const holdCtrlZ = (text: string): string => {
    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) === ctrlZ) end--;
    if (end === 0) {
      held += text;
      return '';
    }
    const ready = held + text.slice(0, end);
    held = text.slice(end);
    isAtLineStart = /[\r\n]/.test(ready.slice(-1));
    return ready;
  };
  return {
    decode: (bytes) => holdCtrlZ(withoutMark(inner.decode(bytes))),
    end: () => {
      const text = holdCtrlZ(withoutMark(inner.end()));
      return isAtLineStart ? text : text + held;
    },
    foreignLines: () => {
      const found = inner.foreignLines();
      return found === null ? null : { ...found, firstOffset: found.firstOffset - dropped };
    },
    hasRegularText: () => inner.hasRegularText(),
  };
}

/** Decodes everything in the encoding that the user named, and counts lines with bytes that are not valid in it. */
function declaredDecoder(encoding: string): Decoder {
  const isByTable = encoding === 'windows-1252' || isDosEncoding(encoding);
  const decoder = new TextDecoder(isByTable ? 'latin1' : encoding, { ignoreBOM: true });
  const table = encoding === 'windows-1252' ? { decode: decode1252 } : isByTable ? createByteDecoder(encoding) : null;
  let offset = 0;
  let invalid: ForeignLines | null = null;
  const inspect = (text: string): string => {
    for (let index = text.indexOf('\ufffd'); index !== -1; ) {
      invalid ??= { firstOffset: offset + index, lines: 0, decodedAs: null, isCertain: true, fallbacks: 0 };
      invalid.lines++;
      const lineEnd = text.indexOf('\n', index);
      index = lineEnd === -1 ? -1 : text.indexOf('\ufffd', lineEnd);
    }
    offset += text.length;
    return text;
  };
  return {
    decode: (bytes) => inspect(table?.decode(bytes) ?? decoder.decode(bytes, { stream: true })),
    end: () => inspect(table === null ? decoder.decode() : ''),
    foreignLines: () => invalid,
    hasRegularText: () => true,
  };
}

function utf16Decoder(encoding: Encoding): Decoder {
  let carry = empty;
  let offset = 0;
  return {
    decode(piece) {
      const bytes = Buffer.concat([carry, piece]);
      const whole = bytes.length - (bytes.length % 2);
      carry = bytes.subarray(whole);
      const units = bytes.subarray(0, whole);
      const text = (encoding === 'utf-16be' ? units.swap16() : units).toString('utf16le');
      offset += text.length;
      return text;
    },
    end: () => (carry.length === 0 ? '' : '\ufffd'),
    foreignLines: () =>
      carry.length === 0 ? null : { firstOffset: offset, lines: 1, decodedAs: null, isCertain: true, fallbacks: 0 },
    hasRegularText: () => true,
  };
}
