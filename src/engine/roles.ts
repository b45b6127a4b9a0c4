import { readDataFile } from './data-file.js';

const dataUrl = new URL('./data/roles.txt', import.meta.url);
/** Words of two letters that are part of roles: `no-reply`, `do_not_reply`, `it-support`, `hr.team`, `contact-us`. */
const shortWords = new Set(['no', 'do', 'it', 'hr', 'us', 'pr', 'qa', 'dm', 'sc']);
const unreadRoles = ['donotreply', 'noreply'];
const separators = /[._-]+/g;
let roles: Set<string> | undefined;

/** The role that a local part names, without its separators, as `info` or `noreply`; null for a person's name. */
export function roleOf(localPart: string, tag: string | null): string | null {
  roles ??= new Set(readDataFile(dataUrl).toString('latin1').trimEnd().split('\n'));
  const whole = localPart.toLowerCase();
  const name = tag === null ? whole : whole.slice(0, whole.indexOf('+'));
  if (name.includes('reply')) {
    const joined = name.replaceAll(separators, '');
    const unread = unreadRoles.find((role) => joined.startsWith(role) || joined.endsWith(role));
    if (unread !== undefined) return unread;
  }
  if (roles.has(name)) return name;
  const words = name.split(separators);
  // `b.rand` is a person and `help.desk` is not: only whole words make up a role.
  if (words.length === 1 || !words.every((word) => word.length > 2 || shortWords.has(word))) return null;
  const joined = words.join('');
  return roles.has(joined) ? joined : null;
}
