import type { InputFormat } from '../rows.js';

/** Joins a folded line with the next one; null if they are two lines. */
export type Unfold = (line: string, next: string) => string | null;

/** A kind of text with addresses in it that is not a list of lines. */
interface TextKind {
  name: string;
  /** Absent if it is not known where the addresses are. */
  format?: InputFormat;
  /** How lines are joined to search for addresses anywhere in the text. */
  unfold: Unfold;
}

/** RFC 6350, section 3.2, and RFC 2849: a line that starts with a blank continues the one before. */
const unfoldIndented: Unfold = (line, next) => (/^[ \t]/.test(next) ? line + next.slice(1) : null);
/** RFC 5322, section 2.2.3. An empty line ends the header. */
const unfoldHeader: Unfold = (line, next) => (line !== '' && /^[ \t]/.test(next) ? `${line} ${next.trim()}` : null);
/** RFC 2045, section 6.7: an equals sign at the end is a soft line break. */
const unfoldSoftBreak: Unfold = (line, next) => (line.endsWith('=') ? line.slice(0, -1) + next : null);
const keepLines: Unfold = () => null;

/** The lines of messages, and the part of each that may contain addresses. */
export const mailText = { unfold: unfoldHeader, createSelector: createMailSelector };

const textKinds: readonly (TextKind & { start: RegExp })[] = [
  {
    name: 'a vCard file',
    format: 'vcard',
    unfold: unfoldIndented,
    start: /^BEGIN:VCARD/i,
  },
  {
    name: 'an LDIF file',
    format: 'ldif',
    unfold: unfoldIndented,
    // ldapsearch also folds comments, such as a long name above an entry.
    start: /^(?:#[^\n]*\n(?:[ \t][^\n]*\n)*|version: *1[ \t\r]*\n|[\r\n])*dn::? *\S/i,
  },
  {
    name: 'a table drawn as text',
    unfold: keepLines,
    start: /^\+-{2,}[+-]*\+\s|^\|[^\n]*\|\s*\n\|[\s:|-]+\|\s/,
  },
  {
    name: 'a mailbox (mbox)',
    format: 'mail',
    unfold: unfoldSoftBreak,
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
    format: 'mail',
    unfold: unfoldSoftBreak,
    start:
      /^(?:Return-Path|Received|Delivered-To|X-[\w-]+|ARC-[\w-]+|List-[\w-]+|Content-[\w-]+|Authentication-Results|Message-ID|In-Reply-To|References|User-Agent|Sender|Reply-To|From|To|Cc|Date|Subject|MIME-Version|DKIM-Signature):[^\n]*\r?\n(?:[\w-]+:|\s)/i,
  },
];

/** The kind of text that a sample looks like; null if it looks like a list. */
export function textKind(sample: string): TextKind | null {
  const beginning = sample.slice(0, 4000).trimStart();
  return textKinds.find(({ start }) => start.test(beginning)) ?? null;
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
