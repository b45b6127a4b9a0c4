/** The formats of texts that contain addresses in known places. */
type MarkedFormat = 'vcard' | 'ldif' | 'mail';

/** Joins a folded line with the next one; null if they are two lines. */
export type Unfold = (line: string, next: string) => string | null;

/** A format in which it is known where the addresses are. */
interface Markup {
  format: MarkedFormat;
  unfold: Unfold;
  /** For the lines of one text, in order: the part of each that may contain addresses. */
  createSelector: () => (line: string) => string;
}

/** A kind of text with addresses in it that is not a list. */
interface TextKind {
  name: string;
  markup?: Markup;
  /** How lines are joined to search for addresses anywhere in the text. */
  unfold: Unfold;
}

/** RFC 6350, section 3.2, and RFC 2849: a line that starts with a blank continues the one before. */
const unfoldIndented: Unfold = (line, next) => (/^[ \t]/.test(next) ? line + next.slice(1) : null);
/** vCard 2.1 also has soft line breaks of quoted-printable. */
const unfoldVcard: Unfold = (line, next) =>
  line.endsWith('=') && /quoted-printable/i.test(line) ? line.slice(0, -1) + next : unfoldIndented(line, next);
/** RFC 5322, section 2.2.3. An empty line ends the header. */
const unfoldHeader: Unfold = (line, next) => (line !== '' && /^[ \t]/.test(next) ? `${line} ${next.trim()}` : null);
/** RFC 2045, section 6.7: an equals sign at the end is a soft line break. */
const unfoldSoftBreak: Unfold = (line, next) => (line.endsWith('=') ? line.slice(0, -1) + next : null);
const keepLines: Unfold = () => null;

const mail: Markup = { format: 'mail', unfold: unfoldHeader, createSelector: createMailSelector };

const textKinds: readonly (TextKind & { start: RegExp })[] = [
  {
    name: 'a vCard file',
    unfold: unfoldIndented,
    markup: { format: 'vcard', unfold: unfoldVcard, createSelector: () => selectVcardEmail },
    start: /^BEGIN:VCARD/i,
  },
  {
    name: 'an LDIF file',
    unfold: unfoldIndented,
    markup: { format: 'ldif', unfold: unfoldIndented, createSelector: () => selectLdifMail },
    start: /^(?:#[^\n]*\n|version: *1[ \t\r]*\n|\s)*dn::? *\S/i,
  },
  {
    name: 'a table drawn as text',
    unfold: keepLines,
    start: /^\+-{2,}[+-]*\+\s|^\|[^\n]*\|\s*\n\|[\s:|-]+\|\s/,
  },
  {
    name: 'a mailbox (mbox)',
    unfold: unfoldSoftBreak,
    markup: mail,
    // Thunderbird and mail servers write `From - …` and `From MAILER-DAEMON …`.
    start: /^From (?:\S+@\S+ +\w{3} +\w{3} +\d|\S+ +\w{3} +\w{3} +\d{1,2} +\d\d:\d\d)/,
  },
  {
    name: 'an HTML or XML page',
    unfold: keepLines,
    start: /^(?:<!doctype html|<html|<head|<body|<table|<div|<\?xml)/i,
  },
  {
    name: 'an email message',
    unfold: unfoldSoftBreak,
    markup: mail,
    start:
      /^(?:Return-Path|Received|Delivered-To|X-[\w-]+|ARC-[\w-]+|List-[\w-]+|Content-[\w-]+|Authentication-Results|Message-ID|In-Reply-To|References|User-Agent|Sender|Reply-To|From|To|Cc|Date|Subject|MIME-Version|DKIM-Signature):[^\n]*\r?\n(?:[\w-]+:|\s)/i,
  },
];

/** The kind of text that a sample looks like; null if it looks like a list. */
export function textKind(sample: string): TextKind | null {
  const beginning = sample.slice(0, 4000).trimStart();
  return textKinds.find(({ start }) => start.test(beginning)) ?? null;
}

/** Where the addresses are in a text of this format; null for other formats. */
export function markupOf(format: string): Markup | null {
  return textKinds.find(({ markup }) => markup?.format === format)?.markup ?? null;
}

/** The value of an EMAIL property (RFC 6350, section 6.4.2), also in a group and in quoted-printable. */
function selectVcardEmail(line: string): string {
  const [, parameters = '', value = ''] = /^(?:[\w-]+\.)?EMAIL((?:;[^:]*)?):(.*)$/i.exec(line) ?? [];
  if (!/quoted-printable/i.test(parameters)) return value;
  const bytes = value.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

const mailAttributes =
  /^(?:e?mail(?:address)?|mailalternateaddress|rfc822mailbox|othermailbox|proxyaddresses|mozillasecondemail)$/i;

/** The value of an attribute for addresses, also in base64 (RFC 2849). The names of entries (dn) are not addresses. */
function selectLdifMail(line: string): string {
  const [, name = '', mark = '', value = ''] = /^([\w.-]+)(?:;[\w.;-]+)?(::?) *(.*)$/.exec(line) ?? [];
  if (!mailAttributes.test(name)) return '';
  return mark === '::' ? Buffer.from(value, 'base64').toString() : value;
}

/** The header fields for addresses (RFC 5322, section 3.6) of one or more messages; bodies hold none. */
function createMailSelector(): (line: string) => string {
  let isHeader = true;
  let isAfterBlank = true;
  return (line) => {
    if (isAfterBlank && /^From \S/.test(line)) isHeader = true;
    else if (line === '') isHeader = false;
    isAfterBlank = line === '';
    const [, value = ''] = /^(?:From|To|Cc|Bcc|Reply-To|Sender|Resent-(?:From|To|Cc)):(.*)$/i.exec(line) ?? [];
    return isHeader ? value : '';
  };
}
