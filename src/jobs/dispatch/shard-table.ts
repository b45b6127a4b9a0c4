import type { Database } from '../store/postgres/database.js';
import { isDead, nowMs } from '../store/postgres/heartbeat.js';
import { text } from '../store/records.js';
import { isClaimable, type WorkerId } from './claim-table.js';

/** The table of shards: which worker owns which mail hosts. */
export interface ShardTable {
  /** Acquires those of the shards that are free, with the claims that their last owner left; returns them. */
  acquire(self: WorkerId, shards: readonly string[], leaseMs: number): Promise<string[]>;
  /** Renews leases; returns the shards that are still ours, and whether another worker wants them. */
  renew(self: WorkerId, shards: readonly string[], leaseMs: number): Promise<{ shard: string; wanted: boolean }[]>;
  release(self: WorkerId, shards: readonly string[]): Promise<void>;
  /** Shards without an owner whose probes for this worker have waited for `forMs`; with `onlyPinned`, only probes that not every worker may claim. */
  findWaiting(
    self: WorkerId,
    view: WorkerView,
    forMs: number,
    maxShards: number,
    onlyPinned: boolean,
  ): Promise<string[]>;
  /** Requests shards of other owners that have probes which only this worker may claim. */
  requestHandOver(self: WorkerId, view: WorkerView, forMs: number): Promise<void>;
}

/** What a worker knows of refusals. */
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

/** The table in PostgreSQL. */
export function shardTable(database: Database): ShardTable {
  return {
    acquire: (self, shards, leaseMs) =>
      database.writeRepeatable(async (sql) => {
        const rows = await sql.all(
          `INSERT INTO mailvet.lanes (lane, holder, until)
           SELECT lane, $1, mailvet.now_ms() + $2 FROM unnest($3::text[]) AS given (lane)
           WHERE NOT EXISTS (SELECT FROM mailvet.lanes WHERE lanes.lane = given.lane AND NOT ${canAcquire('$1')}) ORDER BY lane
           ON CONFLICT (lane) DO UPDATE SET holder = excluded.holder, until = excluded.until, wanted_by = NULL
           WHERE ${canAcquire('excluded.holder')}
           RETURNING lane`,
          self.id,
          leaseMs,
          shards,
        );
        const taken = rows.map((row) => text(row, 'lane'));
        await sql.run(
          `UPDATE mailvet.probes SET lease = NULL, holder = NULL
           WHERE lane = ANY($1) AND answer IS NULL AND lease IS NOT NULL AND holder <> $2`,
          taken,
          self.id,
        );
        return taken;
      }),
    renew: (self, shards, leaseMs) =>
      database.runRepeatable(async (sql) => {
        const rows = await sql.allPrepared(
          `UPDATE mailvet.lanes SET until = mailvet.now_ms() + $3 WHERE lane = ANY($1) AND holder = $2
           RETURNING lane, wanted_by IS NOT NULL AND NOT ${isDead('wanted_by')} AS wanted`,
          shards,
          self.id,
          leaseMs,
        );
        return rows.map((row) => ({ shard: text(row, 'lane'), wanted: row['wanted'] === true }));
      }, 0),
    release: async (self, shards) => {
      await database.runRepeatable((sql) =>
        sql.allPrepared(
          'UPDATE mailvet.lanes SET holder = NULL, until = 0 WHERE lane = ANY($1) AND holder = $2',
          shards,
          self.id,
        ),
      );
    },
    findWaiting: (self, { excludedGroups }, forMs, maxShards, onlyPinned) =>
      database.read(async (sql) => {
        const condition = onlyPinned ? `${isClaimable} AND ${isPinned}` : isClaimable;
        const rows = await sql.allPrepared(
          waitingShardsQuery(condition, '$3', '$4'),
          self.name,
          excludedGroups,
          forMs,
          maxShards,
        );
        return rows.map((row) => text(row, 'lane'));
      }),
    requestHandOver: async (self, view, forMs) => {
      await database.runRepeatable((sql) =>
        sql.allPrepared(
          `UPDATE mailvet.lanes SET wanted_by = $4
           WHERE holder <> $4 AND (wanted_by IS NULL OR ${isDead('wanted_by')}) AND lane IN (
             SELECT lane FROM mailvet.probes WHERE answer IS NULL AND lease IS NULL AND ${isClaimable}
               AND due_at < ${nowMs} - $3 AND (only_worker = $1 OR avoid <> '{}') AND ${isPinned}
             UNION ALL
             SELECT lane FROM mailvet.probes WHERE answer IS NULL AND lease IS NULL AND ${isClaimable}
               AND due_at < ${nowMs} - $3 AND cardinality($5::text[]) > 0 AND party = ANY($5))`,
          self.name,
          view.excludedGroups,
          forMs,
          self.id,
          view.refusedOthers,
        ),
      );
    },
  };
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
