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

/** Why a text is not an address; one stable code per rule. */
export type SyntaxCode =
  | 'empty'
  | 'missing_at'
  | 'multiple_at'
  | 'fullwidth_at'
  | 'surrounding_space'
  | 'surrounding_quotes'
  | 'contains_space'
  | 'control_character'
  | 'invisible_character'
  | 'ill_formed_unicode'
  | 'display_name'
  | 'angle_brackets'
  | 'mailto_scheme'
  | 'web_address'
  | 'comment'
  | 'obsolete_form'
  | 'several_addresses'
  | 'local_empty'
  | 'local_too_long'
  | 'local_leading_dot'
  | 'local_trailing_dot'
  | 'local_double_dot'
  | 'local_bad_character'
  | 'quote_unclosed'
  | 'quote_bad_character'
  | 'quote_trailing_text'
  | 'domain_empty'
  | 'domain_too_long'
  | 'domain_single_label'
  | 'domain_leading_dot'
  | 'domain_trailing_dot'
  | 'domain_double_dot'
  | 'domain_comma'
  | 'domain_bad_character'
  | 'domain_numeric_tld'
  | 'domain_port_or_path'
  | 'label_too_long'
  | 'label_leading_hyphen'
  | 'label_trailing_hyphen'
  | 'label_reserved_hyphens'
  | 'label_bad_idn'
  | 'literal_unclosed'
  | 'literal_trailing_text'
  | 'literal_bad_ipv4'
  | 'literal_bad_ipv6'
  | 'literal_unknown_tag'
  | 'address_too_long';

/** A violated rule, its position (UTF-16 index), a message, and a correction if it is clear. */
export interface SyntaxFault {
  code: SyntaxCode;
  position: number;
  message: string;
  suggestion: string | null;
}

/** A bad address is a result, not an error. */
export type ParsedAddress = { ok: true; address: Address } | { ok: false; fault: SyntaxFault };
