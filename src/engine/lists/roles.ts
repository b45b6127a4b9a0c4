import { readRoles } from '../data-text.js';

/** Two-letter words of roles, as in `no-reply` or `it-support`. */
const shortWords = new Set(['no', 'do', 'it', 'hr', 'us', 'pr', 'qa', 'dm', 'sc']);
/** Small firms and people use these for their own mailbox, too. */
const possibleRoles = new Set(['mail', 'email', 'me', 'hi', 'hello', 'contact', 'kontakt', 'post', 'dev', 'office']);
const noReplyRoles = ['donotreply', 'noreply'];
const separators = /[._-]+/g;

interface Roles {
  names: Set<string>;
  /** A one-hash Bloom filter of the roles. One address does not need it. */
  filter: Uint8Array | null;
}
let loaded: Roles | undefined;

/** Whether people also use the role as a name for their own mailbox. */
export function isPossibleRole(role: string): boolean {
  return possibleRoles.has(role);
}

/** The role that a local part names, such as `info` or `noreply`; null for other names. */
export function roleOf(localPart: string, tag: string | null): string | null {
  if (loaded === undefined) loaded = { names: new Set(readRoles().trimEnd().split('\n')), filter: null };
  else loaded.filter ??= filterOf(loaded.names);
  const end = tag === null ? localPart.length : localPart.indexOf('+');
  // The filter rejects most local parts without copying them.
  const hasReply = (localPart.includes('y') || localPart.includes('Y')) && /reply/i.test(localPart);
  if (!hasReply && loaded.filter?.[spellingHash(localPart, end)] === 0) return null;
  const name = localPart.slice(0, end).toLowerCase();
  const joined = name.replace(separators, '');
  const noReply = noReplyRoles.find((role) => joined.startsWith(role) || joined.endsWith(role));
  if (noReply !== undefined) return noReply;
  if (loaded.names.has(name)) return name;
  if (!loaded.names.has(joined)) return null;
  // `help.desk` is a role, but `b.rand` is a person: initials are not words.
  return name.split(separators).every((word) => word.length > 2 || shortWords.has(word)) ? joined : null;
}

function filterOf(names: ReadonlySet<string>): Uint8Array {
  const filter = new Uint8Array(filterMask + 1);
  for (const name of names) filter[spellingHash(name, name.length)] = 1;
  return filter;
}

const filterMask = 0x3fff;

/** A hash that ignores case and separators. */
function spellingHash(text: string, end: number): number {
  let hash = 0;
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x2d || code === 0x2e || code === 0x5f) continue;
    hash = (Math.imul(hash, 31) + (code | 0x20)) | 0;
  }
  return (hash ^ (hash >>> 15)) & filterMask;
}
