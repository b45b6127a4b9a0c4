import PostalMime, { addressParser, type Email } from 'postal-mime';
import type { Bounce } from '../../model/bounce.js';
import { unfold } from './read-delivery-status.js';

/** What a message is. Only `bounce` has recipients. */
export type MessageReading =
  | { type: 'bounce'; bounces: Omit<Bounce, 'source'>[]; noticeId: string }
  | { type: 'delay' | 'automatic' | 'other' };

/** The parts of a message that a report is made of. */
export interface Notice {
  email: Pick<Email, 'from' | 'to' | 'subject' | 'messageId'>;
  /** All values of a header field of the notice. */
  header(name: string): string[];
  /** The text for people, without the copy of the returned message. */
  text: string;
  /** The fields of `message/delivery-status` (RFC 3464). */
  deliveryStatus: string[];
  /** The fields of `message/feedback-report` (RFC 5965); null if there are none. */
  feedback: string | null;
  /** The attached messages, or their headers; the first is the returned one. */
  attached: string[];
  /** The header of the returned message; null if there is none. */
  original: OriginalHeader | null;
}

interface OriginalHeader {
  messageId: string;
  from: string[];
  to: string[];
}

const maxNestingDepth = 32;

/** Parses a message. Throws if it is nested too deep or has too many headers. */
export async function parseNotice(bytes: Uint8Array): Promise<Notice> {
  const email = await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth });
  const parts = email.attachments.map(({ mimeType, content }) => ({ mimeType, text: decode(content) }));
  const textsOf = (type: RegExp): string[] => parts.filter((part) => type.test(part.mimeType)).map(({ text }) => text);
  const whole = email.text ?? htmlToText(email.html ?? '');
  const deliveryStatus = textsOf(/^message\/(?:global-)?delivery-status$/);
  const attached = textsOf(/^(?:message\/(?:rfc822|global|partial)|(?:text|message)\/(?:rfc822|global)-headers)$/);
  // A report whose MIME boundaries were lost is read as plain text.
  const raw = whole === '' && parts.length === 0 ? decode(bytes).replace(/^[\s\S]*?\n\s*\n/, '') : whole;
  const { head, copy } = cutCopy(raw);
  const isRawStatus = deliveryStatus.length === 0 && /^(?:final|original)-recipient\s*:/im.test(raw);
  return {
    email,
    header: (name) => email.headers.filter(({ key }) => key === name).map(({ value }) => value),
    text: head,
    deliveryStatus: isRawStatus ? [raw] : deliveryStatus,
    feedback: textsOf(/^message\/feedback-report$/)[0] ?? null,
    attached,
    original: parseOriginal(attached[0] ?? copy),
  };
}

function decode(content: Uint8Array | ArrayBuffer | string): string {
  if (typeof content === 'string') return content;
  const bytes = Buffer.from(content instanceof ArrayBuffer ? new Uint8Array(content) : content);
  const text = bytes.toString('utf8');
  return (text.includes('\uFFFD') ? bytes.toString('latin1') : text).replace(/\r\n?/g, '\n');
}

const maxHeaderLength = 64 * 1024;

function parseOriginal(text: string): OriginalHeader | null {
  const header =
    text
      .trimStart()
      .slice(0, maxHeaderLength)
      .split(/\n\s*\n/, 1)[0] ?? '';
  const lines = unfold(header);
  const values = (...names: string[]): string[] =>
    lines.flatMap((line) => {
      const [, name = '', value = ''] = /^([\w-]+)\s*:\s*(.*)$/.exec(line) ?? [];
      return names.includes(name.toLowerCase()) ? [value] : [];
    });
  if (values('from', 'to', 'date', 'received', 'message-id').length === 0) return null;
  const addresses = (...names: string[]): string[] =>
    addressesOf(values(...names).flatMap((value) => addressParser(value)));
  return {
    messageId: bareId(values('message-id')[0] ?? ''),
    from: addresses('from', 'sender', 'return-path'),
    to: addresses('to', 'cc', 'bcc'),
  };
}

/** A Message-ID without its brackets, on one line and of limited length. */
export function bareId(text: string): string {
  return text.replace(/[<>\s\p{Cc}]/gu, '').slice(0, 300);
}

/** The addresses of a header field, in lower case. */
export function addressesOf(fields: readonly (NonNullable<Email['to']>[number] | undefined)[]): string[] {
  return fields
    .flatMap((field) => (field === undefined ? [] : (field.group ?? [field])))
    .map(({ address }) => address.toLowerCase())
    .filter((address) => address.includes('@'));
}

/** The line after which mail servers put a copy of the message, or the first header of one. */
const copyStart = new RegExp(
  [
    String.raw`^[>|]?[ \t]{0,40}(?:[-=_*#~]{2,}|\d\.)?[ \t]{0,40}(?:below this line is a copy|this is a copy of (?:the|your)|(?:your |the )?original (?:message|mail|headers?)(?! (?:was|has|could|to\b|sent))|(?:the )?(?:headers?|body|text) of (?:the|your) (?:original |returned |undelivered )?message|returned (?:message|mail) |(?:un(?:sent|delivered)|failed|rejected) message (?:follows|below|headers?)|message headers? (?:follow|of)|(?:enclosed|included|attached|here) is a copy|copy of (?:the|your) (?:original )?message|message (?:header|text|body) follows|start of (?:the )?returned)`,
    String.raw`^(?:received|return-path|dkim-signature|x-received|mime-version)\s*:`,
  ].join('|'),
  'im',
);

/** Subjects are never read or shown. */
const subjectLine =
  /^[ \t>]*(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|тема|件名|主题|主旨)[ \t]*[:：].*$/gimu;

function cutCopy(text: string): { head: string; copy: string } {
  const unified = text.replace(/\r\n?/g, '\n');
  const copyIndex = copyStart.exec(unified)?.index ?? -1;
  if (copyIndex === -1) return { head: unified.replace(subjectLine, ''), copy: '' };
  const copyText = unified.slice(copyIndex);
  const headerAt = /^[\w-]+\s*:/m.exec(copyText)?.index ?? 0;
  return { head: unified.slice(0, copyIndex).replace(subjectLine, ''), copy: copyText.slice(headerAt) };
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ', '#39': "'" };

function htmlToText(html: string): string {
  return html
    .replace(/<(style|script|head)\b[\s\S]*?(?:<\/\1>|$)/gi, '')
    .replace(/<(?:br|\/?(?:p|div|tr|table|h\d|li))\b[^>]{0,2000}>/gi, '\n')
    .replace(/<[^>]{0,2000}>/g, ' ')
    .replace(/&(#?\w{2,6});/g, (entity, name: string) => entities[name.toLowerCase()] ?? entity);
}
