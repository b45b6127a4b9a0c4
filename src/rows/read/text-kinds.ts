/** Joins a folded line with the next one; null if they are two lines. */
export type Unfold = (line: string, next: string) => string | null;

/** RFC 6350, section 3.2, and RFC 2849: a line that starts with a blank continues the one before. */
const unfoldIndented: Unfold = (line, next) => (/^[ \t]/.test(next) ? line + next.slice(1) : null);
/** RFC 2045, section 6.7: an equals sign at the end is a soft line break. */
const unfoldSoftBreak: Unfold = (line, next) => (line.endsWith('=') ? line.slice(0, -1) + next : null);
export const keepLines: Unfold = () => null;

/** Kinds of text with addresses in it that is not a list of lines. */
const textKinds: readonly { start: RegExp; unfold: Unfold }[] = [
  { start: /^BEGIN:VCARD/i, unfold: unfoldIndented },
  {
    // LDIF; ldapsearch also folds comments, such as a long name above an entry.
    start: /^(?:#[^\n]*\n(?:[ \t][^\n]*\n)*|version: *1[ \t\r]*\n|[\r\n])*dn::? *\S/i,
    unfold: unfoldIndented,
  },
  // A table drawn as text.
  { start: /^\+-{2,}[+-]*\+\s|^\|[^\n]*\|\s*\n\|[\s:|-]+\|\s/, unfold: keepLines },
  // A mailbox (mbox); Thunderbird and mail servers write `From - …` and `From MAILER-DAEMON …`.
  {
    start: /^From (?:\S+@\S+ +\w{3} +\w{3} +\d|\S+ +\w{3} +\w{3} +\d{1,2} +\d\d:\d\d)/,
    unfold: unfoldSoftBreak,
  },
  { start: /^(?:<!doctype html|<html|<head|<body|<table|<div|<\?xml)/i, unfold: keepLines },
  // An email message.
  {
    start:
      /^(?:Return-Path|Received|Delivered-To|X-[\w-]+|ARC-[\w-]+|List-[\w-]+|Content-[\w-]+|Authentication-Results|Message-ID|In-Reply-To|References|User-Agent|Sender|Reply-To|From|To|Cc|Date|Subject|MIME-Version|DKIM-Signature):[^\n]*\r?\n(?:[\w-]+:|\s)/i,
    unfold: unfoldSoftBreak,
  },
];

/** How the lines of a sample that is no list are joined; null if it looks like a list. */
export function textUnfolding(sample: string): Unfold | null {
  const beginning = sample.slice(0, 4000).trimStart();
  return textKinds.find(({ start }) => start.test(beginning))?.unfold ?? null;
}
