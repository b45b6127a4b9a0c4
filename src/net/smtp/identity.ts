import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { Failure } from '../../model/failure.js';

/** The EHLO name of this machine: its fully qualified name, or null if the name cannot be public. */
export function ownEhloName(name: string = hostname()): string | null {
  const hostName = name.toLowerCase().replace(/\.$/, '');
  const isFullyQualified = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}$/.test(hostName);
  return isFullyQualified && !/\.(local|localdomain|lan|home|internal|arpa|localhost|corp)$/.test(hostName)
    ? hostName
    : null;
}

/** The address literal used in place of a name (RFC 5321 §4.1.3). */
export function addressLiteral(ip: string): string {
  const bare = ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%[\s\S]*$/, '');
  if (isIP(bare) === 4) return `[${bare}]`;
  return isIP(bare) === 6 ? `[IPv6:${bare}]` : '[127.0.0.1]';
}

/**
 * The senders to try in turn: a configured one, then the null sender. Without a configured one the null sender comes first, since it
 * has no mailbox to verify and no SPF record to fail; then postmaster at our own name (RFC 5321 §4.5.1).
 */
export function sendersFor(mailFrom: string | null, ehloName: string | null): string[] {
  if (mailFrom !== null && mailFrom !== '') return [mailFrom, ''];
  return ehloName === null ? [''] : ['', `postmaster@${ehloName}`];
}

/** Throws the Failure `bad_input` for names and senders that are not valid in a command. */
export function checkIdentity(ehloName: string | null, mailFrom: string | null): void {
  if (ehloName !== null && !/^(\[[0-9A-Za-z:.]+\]|[0-9A-Za-z]([0-9A-Za-z.-]*[0-9A-Za-z])?)$/.test(ehloName)) {
    throw new Failure('bad_input', 'The EHLO name is neither a host name nor an address in brackets.', {
      hint: 'Use the name that your IP address resolves back to, e.g. --set ehlo_name=mail.example.com',
    });
  }
  if (mailFrom !== null && mailFrom !== '' && !/^[^\s<>\p{Cc}@]+@[^\s<>\p{Cc}@]+$/u.test(mailFrom)) {
    throw new Failure('bad_input', 'The sender is not an email address.', {
      hint: 'Use an address of your own that can receive mail, e.g. --set mail_from=postmaster@example.com',
    });
  }
}
