import { readProblem, readSmallFile } from '../../disk/own-file.js';
import type { Address } from '../../model/address.js';
import { Failure } from '../../model/failure.js';
import { findParentDomain } from './domain-parents.js';

/** The entries of one file. */
interface UserList {
  /** The entry that covers the address, or null. */
  match(address: Address): string | null;
  /** The entry that covers a host by its name, or null. */
  matchHost(host: string): string | null;
}

/** The user's lists; `allow` wins over `deny`, and both over the bundled lists. */
export interface UserLists {
  allow: UserList;
  deny: UserList;
}

/** A rough check for a mailbox or domain, which UTF-16 and binary files fail. */
const entryShape = /^(?:[^\s@,;\0-\x1f\ufffd]+@|\*?\.)?[^\s@,;.\0-\x1f\ufffd]+(?:\.[^\s@,;.\0-\x1f\ufffd]+)*$/;

/** Reads the user's files: one domain or address per line, `#` starts a comment. Null without files. */
export async function readUserLists(files: {
  allowFile?: string | null;
  denyFile?: string | null;
}): Promise<UserLists | null> {
  if (!files.allowFile && !files.denyFile) return null;
  return { allow: readUserList(files.allowFile), deny: readUserList(files.denyFile) };
}

function readUserList(file: string | null | undefined): UserList {
  if (!file) return parseUserList('', '');
  let text: string;
  try {
    text = readSmallFile(file).toString('utf8');
  } catch (cause) {
    throw new Failure('bad_input', `The list ${file} cannot be read: ${readProblem(cause)}.`, {
      cause,
      hint: 'Give the path of a text file with one domain or address per line.',
    });
  }
  return parseUserList(text, file);
}

/**
 * `example.com` covers the domain and its subdomains, `.example.com` and `*.example.com` only the subdomains, and
 * `name@example.com` that mailbox with any tag. Case-insensitive.
 */
export function parseUserList(text: string, file: string): UserList {
  const domains = new Set<string>();
  const subdomains = new Set<string>();
  const mailboxes = new Set<string>();
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .forEach((line, index) => {
      const entry = line
        .replace(/(^|\s)#[\s\S]*$/, '')
        .trim()
        .normalize('NFC')
        .toLowerCase();
      if (entry === '') return;
      if (!entryShape.test(entry)) {
        throw new Failure('bad_input', `Line ${index + 1} of the list ${file} is neither a domain nor an address.`, {
          hint: 'Write one domain (example.com), one address (name@example.com) or one .example.com per line.',
        });
      }
      if (entry.includes('@')) mailboxes.add(entry);
      else if (/^\*?\./.test(entry)) subdomains.add(entry.replace(/^\*?\./, ''));
      else domains.add(entry);
    });

  const matchName = (name: string): string | null => {
    const covering = findParentDomain(name, 1, (part) => domains.has(part) || (part !== name && subdomains.has(part)));
    return covering === null || domains.has(covering) ? covering : `.${covering}`;
  };
  return {
    match(address) {
      const local = address.localPart.toLowerCase();
      const untagged = address.tag === null ? local : local.slice(0, local.indexOf('+'));
      // The file may use U-labels or A-labels.
      for (const domain of new Set([address.domain, address.displayDomain])) {
        const mailbox = [`${local}@${domain}`, `${untagged}@${domain}`].find((name) => mailboxes.has(name));
        const matched = mailbox ?? matchName(domain);
        if (matched !== null) return matched;
      }
      return null;
    },
    matchHost: matchName,
  };
}
