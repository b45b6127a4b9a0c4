import { addressesOf, type Notice } from './parse-notice.js';

/** A recipient that the text of a notice names, and the text about it. */
interface NamedRecipient {
  address: string;
  reason: string;
}

const maxAddressesInText = 1_000;
const maxReasonLength = 4_000;
const maxLines = 5_000;
const maxLineLength = 2_000;
/** With more recipients, the text is not searched for each. */
const maxSearched = 100;

const address = String.raw`[^\s<>()"',;:\[\]@=\\|*][^\s<>()"',;:\[\]@\\|*]{0,63}@(?:[\p{L}\p{N}_-]{1,63}\.){1,8}[\p{L}\p{N}-]{2,63}`;
const anyAddress = new RegExp(address, 'gu');
/** The line starts with the address, in brackets or after a list mark: `<a@x.org>:`, `  a@x.org`, `* a@x.org`. */
const leadingAddress = new RegExp(
  String.raw`^[\s>]*(?:[-*•·]\s+|\d{1,3}[.)]\s+|[45]\d\d[ -](?:[45]\.\d\.\d{1,3} )?(?=\S+\.\.\. ))?['"(<\[]*(?:mailto:)?${address}`,
  'iu',
);
/** Words before the address of a recipient. */
const cuedAddress = new RegExp(
  String.raw`(?:\b(?:to|for|recipients?|rcpt to|address(?:es)?|users?|mailbox|account|destinataire|empf[äa]nger|an|a|para|für)\b|收件人|宛先)\s{0,10}(?:is|was|\(s\))?\s{0,10}[:=]?\s{0,10}['"(<\[]*(?:mailto:)?${address}`,
  'iu',
);
/** The line is about the sender, or names a contact. */
const senderLine =
  /^\s*(?:from|sender|reply-to|return-path|mail from|cc|von|de|message-id|in-reply-to|references|x-[\w-]+)\s*:|\b(?:contact|assistance|write to|forward|questions|help|please (?:send|e-?mail)|ask|mail(?:ed)? from|sender|envelope-from|original sender)\b/i;

/** The recipients in a notice without a machine-readable report, each with its reason. */
export function findRecipients(notice: Notice): NamedRecipient[] {
  const { text, original } = notice;
  const lines = text.split('\n', maxLines).map((line) => line.slice(0, maxLineLength));
  const declared = notice
    .header('x-failed-recipients')
    .flatMap((value) => value.split(','))
    .map((found) => found.trim().toLowerCase())
    .filter((found) => found.includes('@'))
    .slice(0, maxAddressesInText);
  const senders = senderAddresses(notice);
  const isRecipient = (found: string): boolean => !senders.has(found) || original?.to.includes(found) === true;
  const names = firstOf([
    () => declared,
    () => addressesIn(lines, namesRecipient).filter(isRecipient),
    () => addressesIn(lines, () => true).filter((found) => original?.to.includes(found)),
    () => addressesIn(lines, (line) => !isAboutSender(line)).filter(isRecipient),
    // Mail to oneself.
    () => addressesIn(lines, namesRecipient),
    // The only recipient of the returned message.
    () => (original?.to.length === 1 ? original.to : []),
  ]);
  return [...new Set(names)].map((name) => ({ address: name, reason: reasonFor(name, lines, names) }));
}

function namesRecipient(line: string): boolean {
  return !isAboutSender(line) && (leadingAddress.test(line) || cuedAddress.test(line));
}

/** Whether the line is about the sender. Addresses are removed first, since they may contain such words. */
function isAboutSender(line: string): boolean {
  return senderLine.test(line.replace(anyAddress, ' '));
}

function firstOf(finders: readonly (() => readonly string[])[]): readonly string[] {
  for (const find of finders) {
    const found = find();
    if (found.length > 0) return found;
  }
  return [];
}

function addressesIn(lines: readonly string[], includes: (line: string) => boolean): string[] {
  const found = new Set<string>();
  for (const line of lines) {
    if (!line.includes('@') || !includes(line)) continue;
    for (const match of line.match(anyAddress) ?? []) found.add(match.toLowerCase().replace(/\.+$/, ''));
    if (found.size >= maxAddressesInText) break;
  }
  return [...found];
}

/** The addresses of the sender of the returned message and of the notice. */
function senderAddresses(notice: Notice): ReadonlySet<string> {
  const { email, original } = notice;
  const delivered = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to'].flatMap((name) =>
    notice.header(name).flatMap((value) => value.match(anyAddress) ?? []),
  );
  const all = [...addressesOf([email.from, ...(email.to ?? [])]), ...delivered, ...(original?.from ?? [])];
  return new Set(all.map((each) => each.toLowerCase()));
}

/** What the text says about a recipient: the lines from its name to the next one, or the whole text. */
export function reasonFor(recipient: string, lines: readonly string[], recipients: readonly string[] = []): string {
  const others = recipients.filter((each) => each !== recipient);
  if (others.length > maxSearched) return lines.join('\n').slice(0, maxReasonLength);
  const folded = lines.map((line) => line.toLowerCase());
  const segments: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (!folded[index]?.includes(recipient)) continue;
    let end = index + 1;
    while (end < lines.length && !others.some((other) => folded[end]?.includes(other))) end++;
    segments.push(lines.slice(index, end).join('\n').slice(0, maxReasonLength));
    index = end - 1;
  }
  const withReply = segments.find((segment) => /(?<![\d.])[45]\d\d[ -]|(?<![\d.])[45]\.\d{1,3}\.\d/.test(segment));
  return withReply ?? (segments.join('\n') || lines.join('\n')).slice(0, maxReasonLength);
}
