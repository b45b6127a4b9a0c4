import type { Database } from '../store/postgres/database.js';
import { isDead, nowMs } from '../store/postgres/heartbeat.js';
import { text } from '../store/records.js';
import { isClaimable, type WorkerId } from './claim-table.js';

/** The table of lanes: who may talk to which mail hosts. */
export interface ShardTable {
  /** Takes those of these lanes that are free, and what their last holder left unanswered; gives the ones taken. */
  acquire(self: WorkerId, lanes: readonly string[], leaseMs: number): Promise<string[]>;
  /** Holds on to lanes; gives those that are still ours, and whether another worker needs them. */
  renew(self: WorkerId, lanes: readonly string[], leaseMs: number): Promise<{ lane: string; wanted: boolean }[]>;
  release(self: WorkerId, lanes: readonly string[]): Promise<void>;
  /** Lanes with something for this worker that have waited for so long while nobody held them; where it `hasEnough`, only what not everybody may ask. */
  findWaiting(self: WorkerId, view: WorkerView, forMs: number, most: number, hasEnough: boolean): Promise<string[]>;
  /** Asks the holders of lanes for those that have something which they must leave to us. */
  requestHandOver(self: WorkerId, view: WorkerView, forMs: number): Promise<void>;
}

/** What a worker knows of the others. */
export interface WorkerView {
  excludedGroups: readonly string[];
  /** Parties that refused others, but not us. */
  refusedOthers: readonly string[];
}

const isFree = `(lanes.holder IS NULL OR lanes.until <= ${nowMs} OR ${isDead('lanes.holder')})`;
/** Looked at before a row is locked, too: a lane that another holds would be waited for while he renews it. */
const canAcquire = (self: string): string =>
  `((${isFree} OR lanes.holder = ${self}) AND (lanes.wanted_by IS NULL OR lanes.wanted_by = ${self} OR ${isDead('lanes.wanted_by')}))`;

/** True of a probe that not every worker may ask for. */
const isPinned = `(only_worker IS NOT NULL OR avoid <> '{}')`;

/** The table in a database. */
export function shardTable(database: Database): ShardTable {
  return {
    acquire: (self, lanes, leaseMs) =>
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
          lanes,
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
    renew: (self, lanes, leaseMs) =>
      database.runRepeatable(async (sql) => {
        const rows = await sql.often(
          `UPDATE mailvet.lanes SET until = mailvet.now_ms() + $3 WHERE lane = ANY($1) AND holder = $2
           RETURNING lane, wanted_by IS NOT NULL AND NOT ${isDead('wanted_by')} AS wanted`,
          lanes,
          self.id,
          leaseMs,
        );
        return rows.map((row) => ({ lane: text(row, 'lane'), wanted: row['wanted'] === true }));
      }, 0),
    release: async (self, lanes) => {
      await database.runRepeatable((sql) =>
        sql.often(
          'UPDATE mailvet.lanes SET holder = NULL, until = 0 WHERE lane = ANY($1) AND holder = $2',
          lanes,
          self.id,
        ),
      );
    },
    findWaiting: (self, { excludedGroups: shunned }, forMs, most, hasEnough) =>
      database.read(async (sql) => {
        const wanted = hasEnough ? `${isClaimable} AND ${isPinned}` : isClaimable;
        const rows = await sql.often(waitingShardsQuery(wanted, '$3', '$4'), self.name, shunned, forMs, most);
        return rows.map((row) => text(row, 'lane'));
      }),
    requestHandOver: async (self, view, forMs) => {
      await database.runRepeatable((sql) =>
        sql.often(
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

/** Lanes that have waited for `ms` while nobody held them, `most` of them; one look at the index for each lane, however long. */
export function waitingShardsQuery(condition: string, ms: string, most: string): string {
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
    LIMIT ${most}`;
}
