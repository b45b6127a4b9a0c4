import { readDataLines } from '../../disk/bundled-file.js';
import { dataUrl } from '../data-file.js';

/** Words of two letters that are part of roles: `no-reply`, `do_not_reply`, `it-support`, `hr.team`, `contact-us`. */
const shortWords = new Set(['no', 'do', 'it', 'hr', 'us', 'pr', 'qa', 'dm', 'sc']);
const unreadRoles = ['donotreply', 'noreply'];
const separators = /[._-]+/g;

let loaded: Set<string> | undefined;

/** The role that a local part names, without its separators, as `info` or `noreply`; null for a person's name. */
export function roleOf(localPart: string, tag: string | null): string | null {
  loaded ??= new Set(readDataLines(dataUrl('roles.txt')));
  const name = (tag === null ? localPart : localPart.slice(0, localPart.indexOf('+'))).toLowerCase();
  const joined = name.replace(separators, '');
  const unread = joined.includes('reply') ? unreadRoleOf(joined) : undefined;
  if (unread !== undefined) return unread;
  if (loaded.has(name)) return name;
  if (joined === name || !loaded.has(joined)) return null;
  // `b.rand` is a person and `help.desk` is not: only whole words make up a role.
  return name.split(separators).every((word) => word.length > 2 || shortWords.has(word)) ? joined : null;
}

function unreadRoleOf(joined: string): string | undefined {
  return unreadRoles.find((role) => joined.startsWith(role) || joined.endsWith(role));
}
