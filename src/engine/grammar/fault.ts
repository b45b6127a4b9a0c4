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

/** A comment may stand on either side of the @ (RFC 5322 §3.2.2), and is no part of the mailbox. */
export function commentFault(position: number): SyntaxFault {
  return fault('comment', position, 'Comments in parentheses are not part of an address: leave them out.');
}

/** What stands in angle brackets is the address (RFC 5322 §3.4), not they. */
export function anglesFault(position: number): SyntaxFault {
  const message = 'Angle brackets are not part of an address: write only what is in them.';
  return fault('angle_brackets', position, message);
}

/** Tells a fault from what a reader gives otherwise. */
export function isFault<Read extends object>(read: Read | SyntaxFault): read is SyntaxFault {
  return 'code' in read;
}
