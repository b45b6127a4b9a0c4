import { readDataLines } from '../../disk/bundled-file.js';
import { dataUrl } from '../data-file.js';

/** Words of two letters that are part of roles: `no-reply`, `do_not_reply`, `it-support`, `hr.team`, `contact-us`. */
const shortWords = new Set(['no', 'do', 'it', 'hr', 'us', 'pr', 'qa', 'dm', 'sc']);
const unreadRoles = ['donotreply', 'noreply'];
const separators = /[._-]+/g;

interface Roles {
  names: Set<string>;
  /** One byte for each fingerprint that some role has. */
  fingerprints: Uint8Array;
}
let loaded: Roles | undefined;

/** The role that a local part names, without its separators, as `info` or `noreply`; null for a person's name. */
export function roleOf(localPart: string, tag: string | null): string | null {
  loaded ??= loadRoles();
  const end = tag === null ? localPart.length : localPart.indexOf('+');
  // Most local parts are people's: a glance at the letters spares them the copies made below.
  const saysReply = /reply/i.test(localPart);
  if (!saysReply && loaded.fingerprints[fingerprint(localPart, end)] === 0) return null;
  const name = localPart.slice(0, end).toLowerCase();
  if (saysReply) {
    const joined = name.replaceAll(separators, '');
    const unread = unreadRoles.find((role) => joined.startsWith(role) || joined.endsWith(role));
    if (unread !== undefined) return unread;
  }
  if (loaded.names.has(name)) return name;
  const words = name.split(separators);
  // `b.rand` is a person and `help.desk` is not: only whole words make up a role.
  if (words.length === 1 || !words.every((word) => word.length > 2 || shortWords.has(word))) return null;
  const joined = words.join('');
  return loaded.names.has(joined) ? joined : null;
}

function loadRoles(): Roles {
  const names = readDataLines(dataUrl('roles.txt'));
  const fingerprints = new Uint8Array(fingerprintMask + 1);
  for (const name of names) fingerprints[fingerprint(name, name.length)] = 1;
  return { names: new Set(names), fingerprints };
}

const fingerprintMask = 0x3fff;

/** A small number, the same for all spellings of a role: letter case and separators do not count. */
function fingerprint(text: string, end: number): number {
  let hash = 0;
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x2d || code === 0x2e || code === 0x5f) continue;
    hash = (Math.imul(hash, 31) + (code | 0x20)) | 0;
  }
  return (hash ^ (hash >>> 15)) & fingerprintMask;
}
