import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { withTimeout } from '../../async/with-timeout.js';
import type { HostPermits, PermitUser } from '../../net/pool/host-permits.js';
import { endConnection } from '../store/postgres/connections.js';
import type { Database } from '../store/postgres/database.js';

/** Workers that may have a session to one mail host at the same time. */
const permitsPerHost = 2;
/** The first key of the advisory locks; the second is the host. */
const lockClass = 7_263_845;
/** After this time a host is offered to other processes. */
const maxHoldMs = 10_000;
/** Between two attempts for the same host. */
const retryMs = 300;
const beatMs = 2_000;
/** Without an answer for this long, the permits may be in other hands. */
const answerMs = 5_000;
/** A crash repeats what is asked and not stored, so a slow store is waited for. */
const maxWriteLagMs = 500;
const lagCheckMs = 50;

const take = `
  SELECT host, slot FROM unnest($1::text[], $2::int[]) AS wanted (host, key), LATERAL (
    SELECT slot FROM generate_series(0, ${permitsPerHost - 1}) AS slot
    WHERE pg_try_advisory_lock(${lockClass} + slot, key) LIMIT 1) AS permit`;
const give = `SELECT pg_advisory_unlock(${lockClass} + slot, key) FROM unnest($1::int[], $2::int[]) AS held (slot, key)`;

interface Held {
  slot: number;
  user: PermitUser;
  timer: NodeJS.Timeout;
}

/** Permits as advisory locks of one long-lived session, which the database releases when the session ends. */
export class LockPermits implements HostPermits {
  private readonly wanted = new Map<string, PermitUser>();
  private readonly held = new Map<string, Held>();
  private released: { host: string; slot: number }[] = [];
  private client: Client | null = null;
  private isExchanging = false;
  private isClosed = false;
  private retryTimer: NodeJS.Timeout | null = null;
  private beatTimer: NodeJS.Timeout | undefined;
  private lagTimer: NodeJS.Timeout | null = null;
  private database: Database | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly openDatabase: () => Promise<Database | null>) {}

  get count(): number {
    return this.held.size;
  }

  has(host: string): boolean {
    return this.held.has(host);
  }

  isPaused(): boolean {
    if ((this.database?.writeLagMs() ?? 0) < maxWriteLagMs) return false;
    this.lagTimer ??= setTimeout(() => {
      this.lagTimer = null;
      for (const { user } of [...this.held.values()]) user.onGranted();
    }, lagCheckMs);
    return true;
  }

  want(host: string, user: PermitUser): void {
    if (this.held.has(host) || this.wanted.has(host)) return;
    this.wanted.set(host, user);
    this.exchangeIn(0);
  }

  release(host: string): void {
    this.wanted.delete(host);
    const permit = this.held.get(host);
    if (permit === undefined) return;
    clearTimeout(permit.timer);
    this.held.delete(host);
    this.released.push({ host, slot: permit.slot });
    this.exchangeIn(0);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    for (const { timer } of this.held.values()) clearTimeout(timer);
    clearInterval(this.beatTimer);
    if (this.lagTimer !== null) clearTimeout(this.lagTimer);
    const { client } = this;
    this.client = null;
    if (client !== null) await endConnection(client);
  }

  private exchangeIn(ms: number): void {
    if (this.isClosed || this.isExchanging || (this.retryTimer !== null && ms > 0)) return;
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => {
      this.retryTimer = null;
      void this.exchange();
    }, ms);
  }

  /** All hosts in one statement, and one statement at a time: locks are counted, so that a host taken twice is not free after one release. */
  private async exchange(): Promise<void> {
    this.isExchanging = true;
    try {
      this.client ??= await this.connect();
      const released = this.released.splice(0);
      if (released.length > 0)
        await this.query(give, [released.map(({ slot }) => slot), released.map(({ host }) => keyOf(host))]);
      const hosts = this.isPaused() ? [] : [...this.wanted.keys()];
      const rows = hosts.length === 0 ? [] : await this.query(take, [hosts, hosts.map(keyOf)]);
      for (const { host, slot } of rows) this.grant(String(host), Number(slot));
    } catch {
      // The store reports an unreachable database.
    }
    this.isExchanging = false;
    if (this.released.length > 0) this.exchangeIn(0);
    else if (this.wanted.size > 0) this.exchangeIn(retryMs);
  }

  private grant(host: string, slot: number): void {
    const user = this.wanted.get(host);
    if (user === undefined) {
      this.released.push({ host, slot });
      return;
    }
    this.wanted.delete(host);
    this.held.set(host, { slot, user, timer: setTimeout(() => user.onWithdrawn(false), maxHoldMs) });
    user.onGranted();
  }

  private async connect(): Promise<Client | null> {
    this.database = await this.openDatabase();
    const client = this.database === null || this.isClosed ? null : await this.database.connect();
    if (client === null || this.isClosed) {
      await client?.end();
      return null;
    }
    this.turn = Promise.resolve();
    client.once('end', () => this.lose(client));
    clearInterval(this.beatTimer);
    this.beatTimer = setInterval(() => {
      if (this.held.size > 0) this.query('SELECT 1', []).catch(() => {});
    }, beatMs).unref();
    return client;
  }

  private async query(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const { client } = this;
    if (client === null) return [];
    try {
      // One statement at a time.
      const answer = this.turn.then(() => client.query(text, [...values]));
      this.turn = answer.catch(() => {});
      return (await withTimeout(answer, answerMs, new Error('no answer'))).rows;
    } catch (error) {
      this.lose(client);
      throw error;
    }
  }

  private lose(client: Client): void {
    client.connection.stream.destroy();
    if (this.client !== client) return;
    this.client = null;
    this.released = [];
    const lost = [...this.held.values()];
    this.held.clear();
    for (const { user, timer } of lost) {
      clearTimeout(timer);
      user.onWithdrawn(true);
    }
  }
}

function keyOf(host: string): number {
  return createHash('sha256').update(host).digest().readInt32BE(0);
}
