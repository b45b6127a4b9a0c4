import type { SyntaxFault } from '../../model/address.js';
import { characterAt, nameCharacter } from './characters.js';
import { fault } from './fault.js';
import { unicodePattern } from './unicode-pattern.js';

type BadCharacter = 'local_bad_character' | 'domain_bad_character';

const suspect = unicodePattern(String.raw`[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u037e\ufffc\ufffd]`);
const variationSelector = /^[\ufe00-\ufe0f\u180b-\u180d\u180f\u{e0100}-\u{e01ef}]$/u;
const joinable = unicodePattern(String.raw`^[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]$`);
const space = unicodePattern(String.raw`^\p{Z}$`);
const ignorable = unicodePattern(String.raw`^[\p{Cf}\p{Default_Ignorable_Code_Point}]$`);
const pictograph = unicodePattern(String.raw`^\p{Extended_Pictographic}$`);

/** The first control character (RFC 5321 §4.1.2 allows none, even quoted), lone surrogate or replacement character. */
export function findControl(text: string): SyntaxFault | null {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return controlFault(i, code);
    if (code < 0xd800) continue;
    if (code <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) i++;
    else if (code <= 0xdfff || code === 0xfffd || code === 0xfffc) return damageFault(i);
  }
  return null;
}

/**
 * The first invisible or unassigned character from `start` to `end`. RFC 6531 allows every UTF-8 character, but
 * RFC 5198 §2 and RFC 8264 §9 exclude these from identifiers.
 */
export function findUnsafe(text: string, start: number, end: number, code: BadCharacter): SyntaxFault | null {
  if (!suspect().test(text.slice(start, end))) return null;
  for (let i = start; i < end; ) {
    const character = characterAt(text, i);
    const fault = character > '\x7f' ? unsafeFault(text, i, character, code) : null;
    if (fault) return fault;
    i += character.length;
  }
  return null;
}

function unsafeFault(text: string, position: number, character: string, code: BadCharacter): SyntaxFault | null {
  if (!suspect().test(character) || variationSelector.test(character)) return null;
  const name = nameCharacter(character);
  if (character === '\u200c' || character === '\u200d') {
    return isBetweenJoinable(text, position) ? null : fault('invisible_character', position, invisibleMessage(name));
  }
  if (space().test(character)) {
    return fault(
      'contains_space',
      position,
      `The address contains a space character (${name}): addresses have no spaces.`,
    );
  }
  if (ignorable().test(character)) {
    return fault('invisible_character', position, invisibleMessage(name));
  }
  if (character === '\u037e') {
    return fault(code, position, `The Greek question mark (${name}) stands for ";", which an address cannot contain.`);
  }
  // Code points reserved for future emoji are allowed, since the Unicode tables may be older.
  if (pictograph().test(character)) return null;
  return fault(code, position, `The address contains ${name}, which is not an assigned Unicode character.`);
}

function invisibleMessage(name: string): string {
  return `The address contains an invisible character (${name}): delete it.`;
}

/** Joiners are valid in Indic and Arabic script and in emoji (RFC 5892 appendix A). */
function isBetweenJoinable(text: string, position: number): boolean {
  const low = isLowSurrogate(text.charCodeAt(position - 1));
  const previous = position === 0 ? '' : characterAt(text, position - (low ? 2 : 1));
  const next = position + 1 >= text.length ? '' : characterAt(text, position + 1);
  return isJoinable(previous) && isJoinable(next);
}

/** In NFC, the Kelvin sign is a plain K. */
function isJoinable(character: string): boolean {
  return character.normalize('NFC') > '\x7f' && joinable().test(character);
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function controlFault(position: number, code: number): SyntaxFault {
  const kind = code === 0x0a || code === 0x0d ? 'a line break' : code === 0x09 ? 'a tab' : 'a control character';
  const name = nameCharacter(String.fromCharCode(code));
  return fault('control_character', position, `The address contains ${kind} (${name}): delete it.`);
}

function damageFault(position: number): SyntaxFault {
  return fault(
    'ill_formed_unicode',
    position,
    'A character of this address was damaged: the text was read in the wrong encoding, or cut in the middle.',
  );
}
