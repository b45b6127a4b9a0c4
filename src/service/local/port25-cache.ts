import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from '../../disk/private-folder.js';
import type { PortFinding } from '../../net/pool/port25-status.js';

/** How long a blocked port is believed to stay blocked. */
const rememberedMs = 60 * 60 * 1000;

/** A memory that can be told that it is wrong. */
export interface Port25Cache extends PortFinding {
  /** Forgets a block, on whichever network it was found. */
  clear(): void;
}

/** Remembers for an hour, in the data directory, that this network blocks the port; another network starts afresh. */
export function openPort25Cache(
  home: string,
  now: () => number = Date.now,
  network: () => string = networkDigest,
): Port25Cache {
  const file = join(home, 'port-25-blocked.json');
  return {
    get: () => {
      try {
        // A pipe in its place would be waited for.
        if (!lstatSync(file).isFile()) return false;
        const { network: where, at } = JSON.parse(readFileSync(file, 'utf8')) as { network?: unknown; at?: unknown };
        return where === network() && typeof at === 'number' && now() - at >= 0 && now() - at < rememberedMs;
      } catch {
        // Nothing remembered, or nothing that can be read: the run finds out for itself.
        return false;
      }
    },
    set: () => {
      try {
        makePrivateFolder(home);
        // Not through a link that somebody has put there.
        rmSync(file, { force: true });
        writeFileSync(file, JSON.stringify({ network: network(), at: now() }), { mode: 0o600, flag: 'wx' });
      } catch {
        // A read-only home costs the next run a few seconds, and is no reason to fail this one.
      }
    },
    clear: () => {
      try {
        rmSync(file, { force: true });
      } catch {
        // What cannot be removed is forgotten within the hour.
      }
    },
  };
}

/** A digest of this machine's own addresses, and of the one that is dialled from: it changes with the network, and tells nobody which one it is. */
export function networkDigest(sourceIp: string | null = null): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).filter(({ internal }) => !internal).map(({ cidr }) => cidr ?? ''),
  );
  return createHash('sha256')
    .update([...addresses.sort(), ...(sourceIp === null ? [] : ['from', sourceIp])].join(' '))
    .digest('hex')
    .slice(0, 16);
}
