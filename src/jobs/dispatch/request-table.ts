import type { ProbeAnswer } from '../../net/probe/prober.js';
import type { Database } from '../store/postgres/database.js';
import { isDead, nowMs } from '../store/postgres/heartbeat.js';
import { readNumber, readNumberOrNull, readText, readTextOrNull } from '../store/records.js';
import { interactiveChannel, notify, shardsChannel } from './channels.js';

export interface ProbeRow {
  requester: string;
  /** Unique for each requester. */
  mailbox: string;
  /** One of `priorities`. */
  priority: number;
  /** The number of earlier probes of the requester. */
  rank: number;
  shard: string;
  rateLimitGroup: string;
  /** The encoded `ProbeRequest`. */
  request: string;
  /** The deadline from now; null: until its job ends. */
  withinMs: number | null;
}

/** A probe in the table, with its answer if there is one. */
export interface StoredProbe {
  id: number;
  answer: ProbeAnswer | null;
}

/** Priorities as stored; the lowest number is served first. */
export const priorities = { single: 0, bulk: 1, job: 2 };

/** Whether a user waits for the answer, and not only a job. */
export function isInteractive({ priority }: { priority: number }): boolean {
  return priority < priorities.job;
}

function keyOf(requester: string, mailbox: string): string {
  return `${requester} ${mailbox}`;
}

/** The table of probes, for requesters. */
export class RequestTable {
  constructor(private readonly database: Database) {}

  /** Inserts probes; one that an earlier owner of the job inserted is kept. Also returns the shards that have no owner. */
  insert(node: string, rows: readonly ProbeRow[]): Promise<{ stored: StoredProbe[]; free: string[] }> {
    // ON CONFLICT fails if a statement has the same key twice, as when a run is aborted and its job restarted at once.
    const probes = [...new Map(rows.map((row) => [keyOf(row.requester, row.mailbox), row])).values()];
    return this.database.writeRepeatable(async (sql) => {
      const shards = probes.map(({ shard }) => shard);
      const inserted = await sql.allPrepared(
        insertStatement,
        node,
        probes.map(({ requester }) => requester),
        probes.map(({ mailbox }) => mailbox),
        probes.map(({ priority }) => priority),
        probes.map(({ rank }) => rank),
        shards,
        probes.map(({ rateLimitGroup }) => rateLimitGroup),
        probes.map(({ request }) => request),
        probes.map(({ withinMs }) => withinMs ?? -1),
      );
      const byKey = new Map(inserted.map((row) => [keyOf(readText(row, 'asker'), readText(row, 'place')), row]));
      const distinct = [...new Set(shards)];
      await notify(sql, shardsChannel, distinct);
      if (probes.some(isInteractive)) await notify(sql, interactiveChannel, ['now']);
      const free = await sql.allPrepared(unownedShardsStatement, distinct);
      return {
        stored: rows.map(({ requester, mailbox }) => readProbe(byKey.get(keyOf(requester, mailbox)) ?? {})),
        free: free.map((row) => readText(row, 'lane')),
      };
    });
  }

  /** Reads those of the probes that still exist, answered or not. */
  async read(ids: readonly number[]): Promise<StoredProbe[]> {
    const find = `SELECT id, answer, ${retryIn} FROM mailvet.probes WHERE id = ANY($1::bigint[])`;
    return (await this.database.read((sql) => sql.allPrepared(find, ids))).map(readProbe);
  }

  async remove(ids: readonly number[]): Promise<void> {
    const remove = 'DELETE FROM mailvet.probes WHERE id = ANY($1::bigint[])';
    await this.database.runRepeatable((sql) => sql.allPrepared(remove, ids));
  }
}

/** Uses the database's clock, since the clocks of machines differ. */
const retryIn = 'retry_at - mailvet.now_ms() AS retry_in';

/** The wait that the host requested is over: the same worker probes again, from the same address. */
const isRetry = '(probes.answer IS NOT NULL AND probes.retry_at <= mailvet.now_ms())';

const insertStatement = `
  INSERT INTO mailvet.probes AS probes (node, asker, place, urgency, rank, lane, party, question, deadline)
  SELECT $1, asker, place, urgency, rank, lane, party, question,
    CASE WHEN within < 0 THEN NULL ELSE mailvet.now_ms() + within END
  FROM unnest($2::text[], $3::text[], $4::smallint[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::bigint[])
    AS given (asker, place, urgency, rank, lane, party, question, within)
  ORDER BY asker, place
  ON CONFLICT (asker, place) DO UPDATE SET node = excluded.node, rank = excluded.rank,
    question = CASE WHEN ${isRetry} THEN excluded.question ELSE probes.question END,
    lane = CASE WHEN ${isRetry} THEN excluded.lane ELSE probes.lane END,
    party = CASE WHEN ${isRetry} THEN excluded.party ELSE probes.party END,
    only_worker = CASE WHEN ${isRetry} THEN probes.worker ELSE probes.only_worker END,
    avoid = CASE WHEN ${isRetry} THEN '{}' ELSE probes.avoid END,
    due_at = CASE WHEN ${isRetry} THEN mailvet.now_ms() ELSE probes.due_at END,
    answer = CASE WHEN ${isRetry} THEN NULL ELSE probes.answer END,
    retry_at = CASE WHEN ${isRetry} THEN NULL ELSE probes.retry_at END
  RETURNING id, asker, place, answer, ${retryIn}`;

const unownedShardsStatement = `
  SELECT lane FROM unnest($1::text[]) AS given (lane)
  WHERE lane NOT LIKE '@%' AND NOT EXISTS (
    SELECT FROM mailvet.lanes WHERE lanes.lane = given.lane AND holder IS NOT NULL AND until > ${nowMs}
      AND NOT ${isDead('lanes.holder')})`;

function readProbe(row: Record<string, unknown>): StoredProbe {
  const text = readTextOrNull(row, 'answer');
  const answer = text === null ? null : (JSON.parse(text) as ProbeAnswer);
  const retryInMs = readNumberOrNull(row, 'retry_in');
  if (answer !== null && retryInMs !== null) answer.mailbox.retryAt = (Date.now() + retryInMs) / 1000;
  return { id: readNumber(row, 'id'), answer };
}
