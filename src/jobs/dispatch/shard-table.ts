import { LruMap } from '../../async/lru-map.js';
import type { Database, Sql } from '../store/postgres/database.js';
import { describePredecessor, isDead, nowMs } from '../store/postgres/heartbeat.js';
import { readText, readTextOrNull, type StoredRow } from '../store/records.js';
import { isClaimable, type WorkerId } from './claim-table.js';
import { shardCount } from './shard-of.js';

/** The refusals that matter to a worker. */
export interface WorkerView {
  /** Groups that refused this worker and accept another. */
  excludedGroups: readonly string[];
  /** Groups that refused other workers, but not this one. */
  refusedOthers: readonly string[];
}

const isFree = `(lanes.holder IS NULL OR lanes.until <= ${nowMs} OR ${isDead('lanes.holder')})`;
/** Also checked before a row is locked, to avoid waiting for an owner that renews it. */
const canAcquire = (self: string): string =>
  `((${isFree} OR lanes.holder = ${self}) AND (lanes.wanted_by IS NULL OR lanes.wanted_by = ${self} OR ${isDead('lanes.wanted_by')}))`;

/** True for probes that not every worker may claim. */
const isPinned = `(only_worker IS NOT NULL OR avoid <> '{}')`;

/** The class of the advisory locks of shards: an arbitrary number. */
const shardLocks = 726_384;

const maxPredecessors = 100;

/** The table of shards, for one worker: which worker owns which mail hosts. */
export class ShardTable {
  /** Processes that shards were taken over from, each reported once. */
  private readonly predecessors = new LruMap<true>({ maxEntries: maxPredecessors });

  constructor(
    private readonly database: Database,
    private readonly worker: WorkerId,
    private readonly onNote: (text: string) => void,
  ) {}

  /**
   * Acquires those of the shards that are free, with the claims that their last owner left; returns them. One that another worker is
   * acquiring is not waited for: many workers would wait for each other.
   */
  async acquire(shards: readonly string[], leaseMs: number): Promise<string[]> {
    const { id } = this.worker;
    const { acquired, notes } = await this.database.writeRepeatable(async (sql) => {
      const rows = await sql.all(
        `WITH previous AS (
           SELECT lane, holder FROM mailvet.lanes WHERE lane = ANY($3) AND holder IS NOT NULL AND holder <> $1
         ), acquired AS (INSERT INTO mailvet.lanes (lane, holder, until)
         SELECT lane, $1, mailvet.now_ms() + $2 FROM (
           SELECT lane FROM unnest($3::text[]) AS given (lane)
           WHERE NOT EXISTS (SELECT FROM mailvet.lanes WHERE lanes.lane = given.lane AND NOT ${canAcquire('$1')})
           ORDER BY lane OFFSET 0) AS free
         WHERE pg_try_advisory_xact_lock(${shardLocks}, hashtext(lane))
         ON CONFLICT (lane) DO UPDATE SET holder = excluded.holder, until = excluded.until, wanted_by = NULL
         WHERE ${canAcquire('excluded.holder')}
         RETURNING lane)
         SELECT lane, previous.holder AS predecessor FROM acquired LEFT JOIN previous USING (lane)`,
        ...[id, leaseMs, shards],
      );
      const acquired = rows.map((row) => readText(row, 'lane'));
      await sql.run(
        `UPDATE mailvet.probes SET lease = NULL, holder = NULL
         WHERE lane = ANY($1) AND answer IS NULL AND lease IS NOT NULL AND holder <> $2`,
        ...[acquired, id],
      );
      return { acquired, notes: await this.describeTakeovers(sql, rows) };
    });
    // After the commit, since the transaction may be repeated.
    for (const [predecessor, note] of notes) {
      this.predecessors.set(predecessor, true);
      this.onNote(note);
    }
    return acquired;
  }

  /** A note for each predecessor that was not reported before. */
  private async describeTakeovers(sql: Sql, rows: readonly StoredRow[]): Promise<Map<string, string>> {
    const ids = new Set(rows.map((row) => readTextOrNull(row, 'predecessor')));
    const notes = new Map<string, string>();
    for (const predecessor of ids) {
      if (predecessor === null || this.predecessors.has(predecessor)) continue;
      notes.set(predecessor, `Shards of mail hosts are taken over ${await describePredecessor(sql, predecessor)}.`);
    }
    return notes;
  }

  /** Renews leases; returns the shards that are still ours, and whether another worker wants them. */
  renew(shards: readonly string[], leaseMs: number): Promise<Map<string, boolean>> {
    return this.database.runRepeatable(async (sql) => {
      const rows = await sql.allPrepared(
        `UPDATE mailvet.lanes SET until = mailvet.now_ms() + $3 WHERE lane = ANY($1) AND holder = $2
         RETURNING lane, wanted_by IS NOT NULL AND NOT ${isDead('wanted_by')} AS wanted`,
        ...[shards, this.worker.id, leaseMs],
      );
      return new Map(rows.map((row) => [readText(row, 'lane'), row['wanted'] === true]));
    }, 0);
  }

  async release(shards: readonly string[]): Promise<void> {
    const release = 'UPDATE mailvet.lanes SET holder = NULL, until = 0 WHERE lane = ANY($1) AND holder = $2';
    await this.database.runRepeatable((sql) => sql.allPrepared(release, shards, this.worker.id));
  }

  /** Shards without an owner whose probes for this worker have waited for `forMs`; with `onlyPinned`, only probes that not every worker may claim. */
  findWaiting(view: WorkerView, forMs: number, onlyPinned: boolean): Promise<string[]> {
    return this.database.read(async (sql) => {
      const query = waitingShardsQuery(onlyPinned ? `${isClaimable} AND ${isPinned}` : isClaimable, '$3', '$4');
      const rows = await sql.allPrepared(query, this.worker.name, view.excludedGroups, forMs, shardCount);
      return rows.map((row) => readText(row, 'lane'));
    });
  }

  /** Requests shards of other owners that have probes which only this worker may claim. */
  async requestHandOver({ excludedGroups, refusedOthers }: WorkerView, forMs: number): Promise<void> {
    await this.database.runRepeatable((sql) =>
      sql.allPrepared(
        `UPDATE mailvet.lanes SET wanted_by = $4
         WHERE holder <> $4 AND (wanted_by IS NULL OR ${isDead('wanted_by')}) AND lane IN (
           SELECT lane FROM mailvet.probes WHERE answer IS NULL AND lease IS NULL AND ${isClaimable}
             AND due_at < ${nowMs} - $3 AND (only_worker = $1 OR avoid <> '{}') AND ${isPinned}
           UNION ALL
           SELECT lane FROM mailvet.probes WHERE answer IS NULL AND lease IS NULL AND ${isClaimable}
             AND due_at < ${nowMs} - $3 AND cardinality($5::text[]) > 0 AND party = ANY($5))`,
        ...[this.worker.name, excludedGroups, forMs, this.worker.id, refusedOthers],
      ),
    );
  }
}

/** Shards without an owner whose probes have waited for `ms`, at most `maxCount`; one index lookup for each shard. */
export function waitingShardsQuery(condition: string, ms: string, maxCount: string): string {
  return `
    WITH RECURSIVE lanes_in_use AS (
      (SELECT lane FROM mailvet.probes WHERE answer IS NULL AND lease IS NULL ORDER BY lane LIMIT 1)
      UNION ALL
      SELECT (SELECT probes.lane FROM mailvet.probes WHERE answer IS NULL AND lease IS NULL AND probes.lane > lanes_in_use.lane
              ORDER BY probes.lane LIMIT 1)
      FROM lanes_in_use WHERE lanes_in_use.lane IS NOT NULL)
    SELECT lane FROM lanes_in_use WHERE lane IS NOT NULL
      AND NOT EXISTS (SELECT FROM mailvet.lanes WHERE lanes.lane = lanes_in_use.lane AND NOT ${isFree})
      AND EXISTS (SELECT FROM mailvet.probes WHERE probes.lane = lanes_in_use.lane AND answer IS NULL AND lease IS NULL
        AND due_at < ${nowMs} - ${ms} AND ${condition})
    LIMIT ${maxCount}`;
}
