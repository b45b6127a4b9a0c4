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

/** Tells a fault from what a reader gives otherwise. */
export function isFault<Read extends object>(read: Read | SyntaxFault): read is SyntaxFault {
  return 'code' in read;
}
