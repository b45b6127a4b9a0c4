import { createHmac } from 'node:crypto';
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../disk/atomic-file.js';
import { persistentSecret } from '../../disk/persistent-secret.js';
import { makePrivateFolder } from '../../disk/private-folder.js';
import { storageFailure } from '../../disk/storage-failure.js';
import type { DomainDeliveries } from '../../model/evidence.js';

/** What one mailing showed, by the keyed hash of each domain: delivered, and mailed. */
interface Mailing {
  /** A digest of its addresses: the same mailing replaces itself. */
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  domains: Record<string, [delivered: number, mailed: number]>;
}

const dayMs = 86_400_000;
const keptMs = 365 * dayMs;
const maxMailings = 50;
/** The limit over all mailings. The oldest mailing is removed first. */
const maxDomains = 20_000;
const refreshMs = 60_000;
const maxFileBytes = 8 * 1024 * 1024;

/** The deliveries to mailed addresses of each domain, in the data directory. Domains are stored as keyed hashes; no address is stored. */
export function openLearned(home: string, now: () => number = Date.now) {
  const path = join(home, 'learned-deliveries.json');
  const keyName = 'learned-deliveries.key';
  let secret: Uint8Array | null = null;
  const keyOf = (domain: string): string => {
    secret ??= persistentSecret(home, keyName)();
    return createHmac('sha256', secret).update(domain.toLowerCase()).digest('base64url').slice(0, 16);
  };
  let version = '';
  let checkedAt = Number.NEGATIVE_INFINITY;
  let totals = new Map<string, DomainDeliveries>();
  const refresh = (): void => {
    checkedAt = now();
    // Read again once a day even without a change, since mailings expire.
    const current = `${versionOf(path)} ${Math.floor(checkedAt / dayMs)}`;
    if (current === version) return;
    version = current;
    // Another process may have removed everything and made a new secret.
    secret = null;
    totals = sumMailings(readMailings(path, now()));
  };
  return {
    /** Null if nothing was learned. A change of the file counts within a minute. */
    deliveriesOf: (domain: string): DomainDeliveries | null => {
      if (now() - checkedAt >= refreshMs) refresh();
      return totals.size === 0 ? null : (totals.get(keyOf(domain)) ?? null);
    },
    /** Adds a mailing, or replaces what was learned from the same one. */
    learn: async (id: string, domains: ReadonlyMap<string, DomainDeliveries>): Promise<void> => {
      const entries = [...domains]
        .slice(0, maxDomains)
        .map(([domain, { delivered, mailed }]): [string, [number, number]] => [keyOf(domain), [delivered, mailed]]);
      const mailing: Mailing = { id, at: now(), domains: Object.fromEntries(entries) };
      const others = readMailings(path, now()).filter((each) => each.id !== id);
      try {
        makePrivateFolder(home);
        await replaceFile(path, JSON.stringify({ mailings: withinBounds([...others, mailing]) }));
      } catch (error) {
        throw storageFailure(error, path, 'What was learned');
      }
    },
    /** Removes everything; false if there was nothing. */
    forget: (): boolean => {
      const hasLearned = versionOf(path) !== '';
      for (const file of [path, join(home, keyName)]) rmSync(file, { force: true });
      return hasLearned;
    },
  };
}

/** Empty if there is no such regular file. */
function versionOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= maxFileBytes ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : '';
}

/** A file that is missing or damaged holds nothing: it is learned again. */
function readMailings(path: string, now: number): Mailing[] {
  if (versionOf(path) === '') return [];
  try {
    const { mailings } = JSON.parse(readFileSync(path, 'utf8')) as { mailings: Mailing[] };
    return mailings.filter(({ at, domains }) => now - at < keptMs && typeof domains === 'object');
  } catch {
    return [];
  }
}

function withinBounds(mailings: readonly Mailing[]): Mailing[] {
  const kept = mailings.slice(-maxMailings);
  const size = (): number => kept.reduce((sum, { domains }) => sum + Object.keys(domains).length, 0);
  while (kept.length > 1 && size() > maxDomains) kept.shift();
  return kept;
}

function sumMailings(mailings: readonly Mailing[]): Map<string, DomainDeliveries> {
  const totals = new Map<string, DomainDeliveries>();
  for (const { domains } of mailings) {
    for (const [key, [delivered, mailed]] of Object.entries(domains)) {
      const total = totals.get(key) ?? { delivered: 0, mailed: 0 };
      totals.set(key, { delivered: total.delivered + delivered, mailed: total.mailed + mailed });
    }
  }
  return totals;
}
