import { isIP } from 'node:net';

/** What a reply may echo. It says nothing about the meaning. */
export interface Echo {
  /** The recipient address. */
  recipient: string;
  /** Our address as the host sees it. */
  ourIp?: string;
  /** Our EHLO name. */
  ourName?: string;
  /** The senders used in MAIL FROM. */
  senders?: readonly string[];
  /** The mail host's name. */
  hostName?: string;
}

/**
 * Removes addresses, IP addresses, the echoed local part and domain, and the host names of both sides. Our own sender becomes the word
 * `submitter`, so that statements about it are not taken for statements about the mailbox.
 */
export function stripEchoedAddresses(text: string, { recipient, ourIp, ourName, senders, hostName }: Echo): string {
  const atSign = recipient.lastIndexOf('@');
  const local = recipient.slice(0, atSign).toLowerCase();
  const domain = recipient.slice(atSign + 1).toLowerCase();
  let lower = text.toLowerCase().replace(/^[245]\.\d{1,3}\.\d{1,3} /, '');
  // Postfix quotes the refusal of another host like this.
  if (lower.includes('(in reply to ')) lower = lower.replace(/\(in reply to [^()]* command\)/g, ' ');
  if (recipient !== '' && lower.includes(recipient.toLowerCase()))
    lower = lower.replaceAll(recipient.toLowerCase(), ' ');
  else
    for (const sender of senders ?? [])
      if (sender !== '') lower = lower.replaceAll(sender.toLowerCase(), ' submitter ');
  for (const name of [ourName, ourIp, ...(senders ?? [])])
    if (name !== undefined && name !== '') lower = markOwnName(lower, name.toLowerCase());
  if (local !== '' && lower.includes(local)) {
    // A bare local part is removed only in quotes or brackets: `user` may be a mailbox, and is also a word of `no such user`.
    for (const [open, close] of ['<>', '""', "''", '()', '[]'])
      lower = lower.replaceAll(`${open}${local}${close}`, ' ');
    for (const end of [':', '...', '@']) if (lower.startsWith(local + end)) lower = lower.slice(local.length);
  }
  if (ourIp !== undefined && ourIp !== '') lower = lower.replaceAll(ourIp.toLowerCase(), ' ');
  const ours = ourName?.toLowerCase() ?? '';
  if (ours !== '') lower = lower.replaceAll(`<${ours}>`, ' ');
  const host = hostName?.toLowerCase() ?? '';
  // Most refusals contain no address and no host name.
  if (!/[@:]|\.[\da-z]/.test(lower)) return lower;
  return lower
    .split(/([\s<>()[\]"',;=|]+)/)
    .map((token) => (isEcho(token.replace(/[.:!?]{1,3}$/, ''), domain, ours, host) ? wordsAttached(token) : token))
    .join('');
}

/** Replaces our name by `submitter` if it is the subject: `could not find address for mail.example.org`. */
function markOwnName(text: string, name: string): string {
  if (!text.includes(name)) return text;
  return text
    .split(name)
    .reduce((joined, part) => joined + (isSubjectBetween(joined, part) ? ' submitter ' : name) + part);
}

/** Whether a name between two texts is their subject, and not just an echo. */
function isSubjectBetween(before: string, after: string): boolean {
  if (/\b(?:for|of|address|resolve):? [<[(]?$/.test(before)) return !/^[\w-]/.test(after);
  return (
    /(?:^|\b(?:but|because|that))\W*$/.test(before) &&
    /^[>\])]? (?:does|is|has|was|not|no longer|unknown|cannot)\b/.test(after)
  );
}

/** The words attached to an address, as in `found:ann@example.com` or `ann@example.com...User`. */
function wordsAttached(token: string): string {
  if (!token.includes('@')) return ' ';
  return token
    .split(/:|\.{3}/)
    .filter((part) => !part.includes('@'))
    .join(' ');
}

function isEcho(token: string, domain: string, ours: string, host: string): boolean {
  if (token.length < 3) return false;
  if (token.includes('@') || token === ours || token === host) return true;
  if (/^[\da-f]*[.:]/.test(token) && isIP(token) !== 0) return true;
  return domain !== '' && (token === domain || token.endsWith(`.${domain}`));
}
