import type { SyntaxCode, SyntaxFault } from '../../model/address.js';

/** A fault with its sentence; slips add the suggestion later. */
export function fault(
  code: SyntaxCode,
  position: number,
  message: string,
  suggestion: string | null = null,
): SyntaxFault {
  return { code, position, message, suggestion };
}

/** What is wrong about a character, and the sentence that says so. */
export type CharacterFault = [code: SyntaxCode, message: string];

const comment: CharacterFault = ['comment', 'Comments in parentheses are not part of an address: leave them out.'];
const angles: CharacterFault = [
  'angle_brackets',
  'Angle brackets are not part of an address: write only what is in them.',
];

/** A comment may stand on either side of the @ (RFC 5322 §3.2.2); what stands in angle brackets is the address (§3.4), not they. */
const onEitherSide: Readonly<Record<string, CharacterFault>> = { '(': comment, ')': comment, '<': angles, '>': angles };

/** The fault of a character, by those that are known on its side of the @; else the usual one. */
export function faultOfCharacter(
  character: string,
  position: number,
  known: Readonly<Record<string, CharacterFault>>,
  usual: CharacterFault,
): SyntaxFault {
  const [code, message] = known[character] ?? onEitherSide[character] ?? usual;
  return fault(code, position, message);
}

/** Tells a fault from what a reader gives otherwise. */
export function isFault<Read extends object>(read: Read | SyntaxFault): read is SyntaxFault {
  return 'code' in read;
}
