import type { SyntaxFault } from '../../model/address.js';
import type { SyntaxCode } from '../../model/syntax-codes.js';

/** Creates a fault; `recognizeMistake` adds the suggestion later. */
export function fault(
  code: SyntaxCode,
  position: number,
  message: string,
  suggestion: string | null = null,
): SyntaxFault {
  return { code, position, message, suggestion };
}

export type CharacterFault = [code: SyntaxCode, message: string];

const comment: CharacterFault = ['comment', 'Comments in parentheses are not part of an address: leave them out.'];
const angles: CharacterFault = [
  'angle_brackets',
  'Angle brackets are not part of an address: write only what is in them.',
];

/** Comments (RFC 5322 §3.2.2) and angle brackets (§3.4) may occur on either side of the @. */
const onEitherSide: Readonly<Record<string, CharacterFault>> = { '(': comment, ')': comment, '<': angles, '>': angles };

/** The fault of a character: the known one for its side of the @, or the default. */
export function faultOfCharacter(
  character: string,
  position: number,
  faults: Readonly<Record<string, CharacterFault>>,
  defaultFault: CharacterFault,
): SyntaxFault {
  const [code, message] = faults[character] ?? onEitherSide[character] ?? defaultFault;
  return fault(code, position, message);
}

export function isFault<Read extends object>(value: Read | SyntaxFault): value is SyntaxFault {
  return 'code' in value;
}
