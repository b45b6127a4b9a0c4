import { readDataLines } from '../../disk/bundled-file.js';
import { dataPath } from '../data-file.js';

/** Words of two letters that are part of roles: `no-reply`, `do_not_reply`, `it-support`, `hr.team`, `contact-us`. */
const shortWords = new Set(['no', 'do', 'it', 'hr', 'us', 'pr', 'qa', 'dm', 'sc']);
const unreadRoles = ['donotreply', 'noreply'];
const separators = /[._-]+/g;

interface Roles {
  names: Set<string>;
  /** 1 at the letter sum of every role. */
  sums: Uint8Array;
}
let loaded: Roles | undefined;

/** The role that a local part names, without its separators, as `info` or `noreply`; null for a person's name. */
export function roleOf(localPart: string, tag: string | null): string | null {
  loaded ??= loadRoles();
  const end = tag === null ? localPart.length : localPart.indexOf('+');
  // Most local parts are people's. Adding up their letters spares them the three copies below: a tenth of the time of a list.
  const saysReply = /reply/i.test(localPart);
  if (!saysReply && loaded.sums[letterSum(localPart, end)] === 0) return null;
  const name = localPart.slice(0, end).toLowerCase();
  const joined = name.replace(separators, '');
  const unread = unreadRoles.find((role) => joined.startsWith(role) || joined.endsWith(role));
  if (unread !== undefined) return unread;
  if (loaded.names.has(name)) return name;
  if (!loaded.names.has(joined)) return null;
  // `b.rand` is a person and `help.desk` is not: only whole words make up a role.
  return name.split(separators).every((word) => word.length > 2 || shortWords.has(word)) ? joined : null;
}

function loadRoles(): Roles {
  const names = readDataLines(dataPath('roles.txt'));
  const sums = new Uint8Array(sumMask + 1);
  for (const name of names) sums[letterSum(name, name.length)] = 1;
  return { names: new Set(names), sums };
}

const sumMask = 0x3fff;

/** The same for all spellings of a role: letter case and separators do not count. */
function letterSum(text: string, end: number): number {
  let sum = 0;
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x2d || code === 0x2e || code === 0x5f) continue;
    sum = (Math.imul(sum, 31) + (code | 0x20)) | 0;
  }
  return (sum ^ (sum >>> 15)) & sumMask;
}
