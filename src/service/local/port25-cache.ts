import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from '../../disk/private-folder.js';
import type { PortFinding } from '../../net/port-finding.js';

/** How long a port counts as blocked. */
const ttlMs = 60 * 60 * 1000;

export interface Port25Cache extends PortFinding {
  /** Removes the entry, of any network. */
  clear(): void;
}

/** Caches in the data directory, for an hour, that this network blocks port 25. */
export function openPort25Cache(
  home: string,
  now: () => number = Date.now,
  network: () => string = networkDigest,
): Port25Cache {
  const file = join(home, 'port-25-blocked.json');
  return {
    get: () => {
      try {
        // Reading a pipe in its place would block.
        if (!lstatSync(file).isFile()) return false;
        const { network: cached, at } = JSON.parse(readFileSync(file, 'utf8')) as { network?: unknown; at?: unknown };
        return cached === network() && typeof at === 'number' && now() - at >= 0 && now() - at < ttlMs;
      } catch {
        // Missing or unreadable: this run detects a block itself.
        return false;
      }
    },
    set: () => {
      try {
        makePrivateFolder(home);
        // `rm` and `wx`: never write through a link.
        rmSync(file, { force: true });
        writeFileSync(file, JSON.stringify({ network: network(), at: now() }), { mode: 0o600, flag: 'wx' });
      } catch {
        // Without a cache the next run takes a few seconds longer.
      }
    },
    clear: () => {
      try {
        rmSync(file, { force: true });
      } catch {
        // It expires within the hour.
      }
    },
  };
}

/** A digest of this machine's addresses and of the source address: it changes with the network, and does not reveal it. */
export function networkDigest(sourceIp: string | null = null): string {
  const addresses = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).filter(({ internal }) => !internal).map(({ cidr }) => cidr ?? ''),
  );
  return createHash('sha256')
    .update([...addresses.sort(), ...(sourceIp === null ? [] : ['from', sourceIp])].join(' '))
    .digest('hex')
    .slice(0, 16);
}
