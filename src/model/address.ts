import type { SyntaxCode } from './syntax-codes.js';

/** A domain that is an IP address in brackets (RFC 5321 §4.1.3). */
export interface AddressLiteral {
  family: 4 | 6;
  /** The bare IP address, without brackets or the `IPv6:` tag. */
  ip: string;
}

/** A syntactically valid address in all forms that later steps need. */
export interface Address {
  /** The local part as sent over SMTP: NFC, and quoted only if necessary. */
  localPart: string;
  /** Domain in lower-case A-labels; a domain literal keeps its brackets. */
  domain: string;
  /** Domain in U-labels; the same as `domain` for ASCII names. */
  displayDomain: string;
  literal: AddressLiteral | null;
  /** What follows the first `+` of the local part, or null. */
  tag: string | null;
  /** Equal for two spellings of one mailbox: the key for deduplication. */
  canonical: string;
  /** True if the local part is not ASCII, so that the mail server must offer SMTPUTF8 (RFC 6531). */
  needsSmtpUtf8: boolean;
}

/** A violated rule, its position (UTF-16 index), a message, and a correction if it is clear. */
export interface SyntaxFault {
  code: SyntaxCode;
  position: number;
  message: string;
  suggestion: string | null;
}

/** A bad address is a result, not an error. */
export type ParsedAddress = { ok: true; address: Address } | { ok: false; fault: SyntaxFault };
