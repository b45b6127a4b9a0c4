import type { ProbeAnswer, ProbeRequest } from '../../net/probe/prober.js';
import type { Database, Sql } from '../store/postgres/database.js';
import { defaultSilentMs, nowMs } from '../store/postgres/heartbeat.js';
import { readNumber, readText } from '../store/records.js';
import { answersChannelOf, shardsChannel } from './channels.js';

/** A worker: the id of its process, and its lasting name. */
export interface WorkerId {
  id: string;
  name: string;
}

export interface Claim {
  id: number;
  /** The answer is accepted only with the current lease. */
  lease: string;
  shard: string;
  rateLimitGroup: string;
  requester: string;
  priority: number;
  attempts: number;
  /** Names of workers that the host refused. */
  avoid: readonly string[];
  request: ProbeRequest;
}

interface ClaimOptions {
  lease: string;
  /** Each shard with the lowest priority to claim. */
  shards: readonly { shard: string; priority: number }[];
  perShard: number;
  maxClaims: number;
  /** Rate limit groups that are left to other workers. */
  excludedGroups: readonly string[];
}

/** The outcome of a claim: its answer, or null to release it. */
export interface ClaimOutcome {
  claim: Claim;
  answer: ProbeAnswer | null;
  /** Only another worker may take the probe. */
  excludeThisWorker?: true;
}

/** The table of probes, for one worker. */
export class ClaimTable {
  constructor(
    private readonly database: Database,
    private readonly worker: WorkerId,
  ) {}

  claim(options: ClaimOptions): Promise<Claim[]> {
    return this.database.runRepeatable((sql) => claim(sql, this.worker, options));
  }

  /** Writes the outcomes of claims whose lease still holds, and notifies the requesters. */
  async finish(outcomes: readonly ClaimOutcome[]): Promise<void> {
    await this.database.runRepeatable((sql) =>
      sql.allPrepared(
        finishStatement,
        this.worker.name,
        outcomes.map((each) => each.claim.id),
        outcomes.map((each) => each.claim.lease),
        outcomes.map(({ answer }) => (answer === null ? null : JSON.stringify(answer))),
        outcomes.map(({ answer }) => retryInMs(answer)),
        outcomes.map(({ excludeThisWorker = false }) => excludeThisWorker),
      ),
    );
  }

  /** Releases claims that never reached this worker because the connection broke. */
  async releaseOrphans(heldClaims: readonly Claim[]): Promise<void> {
    await this.database.writeRepeatable((sql) =>
      sql.run(
        `UPDATE mailvet.probes SET lease = NULL, holder = NULL
         WHERE answer IS NULL AND lease IS NOT NULL AND holder = $1 AND id NOT IN (SELECT unnest($2::bigint[]))`,
        this.worker.id,
        heldClaims.map(({ id }) => id),
      ),
    );
  }

  /** Called when this worker stops: probes pinned to it wait for it from now on. */
  async retire(): Promise<void> {
    const release =
      'UPDATE mailvet.probes SET due_at = mailvet.now_ms() WHERE answer IS NULL AND lease IS NULL AND only_worker = $1';
    await this.database.writeRepeatable((sql) => sql.run(release, this.worker.name));
  }

  /** Records that a rate limit group refuses this worker for some time. */
  async block(rateLimitGroup: string, forMs: number, reply: string | null): Promise<void> {
    await this.database.writeRepeatable((sql) =>
      sql.run(
        `INSERT INTO mailvet.blocks VALUES ($1, $2, mailvet.now_ms(), mailvet.now_ms() + $3, $4)
         ON CONFLICT (worker, party) DO UPDATE SET until = excluded.until, reply = excluded.reply`,
        ...[this.worker.name, rateLimitGroup, forMs, reply],
      ),
    );
  }
}

/** How long a pinned probe waits for its worker after the last heartbeat: it may be restarted. */
const waitForWorkerMs = 2 * 60_000;

/** True if the worker of a pinned probe is dead or refused by the host: another one may probe instead. */
const isOrphan = `(due_at < ${nowMs} - ${waitForWorkerMs} AND NOT EXISTS (
    SELECT FROM mailvet.workers WHERE name = only_worker AND kind = 'worker'
      AND alive_until > ${nowMs} - ${waitForWorkerMs - defaultSilentMs}
      AND (takes_lanes OR started_at > ${nowMs} - ${waitForWorkerMs}))
  OR EXISTS (SELECT FROM mailvet.blocks WHERE blocks.worker = only_worker AND blocks.party = probes.party
      AND blocks.until > ${nowMs}))`;

/** True for probes that the worker `$1` may claim now; `$2` are the groups left to other workers. */
export const isClaimable = `(due_at <= ${nowMs} AND (deadline IS NULL OR deadline > ${nowMs})
  AND (only_worker IS NULL OR only_worker = $1 OR ${isOrphan}) AND $1 <> ALL(avoid) AND party <> ALL($2::text[]))`;

async function claim(sql: Sql, worker: WorkerId, options: ClaimOptions): Promise<Claim[]> {
  // A lateral join reads each shard by the index, and not all of its rows.
  const rows = await sql.allPrepared(
    `UPDATE mailvet.probes SET lease = $3, holder = $4, worker = $1, attempts = attempts + 1
     WHERE id IN (
       SELECT found.id FROM unnest($5::text[], $6::smallint[]) AS wanted (lane, urgency) CROSS JOIN LATERAL (
         SELECT id, urgency, rank FROM mailvet.probes
         WHERE probes.lane = wanted.lane AND probes.urgency <= wanted.urgency AND answer IS NULL AND lease IS NULL AND ${isClaimable}
         ORDER BY urgency, rank, id LIMIT $7 FOR UPDATE SKIP LOCKED) AS found
       ORDER BY found.urgency, found.rank LIMIT $8)
     RETURNING id, lane, party, asker, urgency, attempts, avoid, question`,
    worker.name,
    options.excludedGroups,
    options.lease,
    worker.id,
    options.shards.map(({ shard }) => shard),
    options.shards.map(({ priority }) => priority),
    options.perShard,
    options.maxClaims,
  );
  return rows.map((row) => ({
    id: readNumber(row, 'id'),
    lease: options.lease,
    shard: readText(row, 'lane'),
    rateLimitGroup: readText(row, 'party'),
    requester: readText(row, 'asker'),
    priority: readNumber(row, 'urgency'),
    attempts: readNumber(row, 'attempts'),
    avoid: row['avoid'] as string[],
    request: JSON.parse(readText(row, 'question')) as ProbeRequest,
  }));
}

/** Probe ids in one notification. */
const idsPerMessage = 350;

/** Updates the probes, and notifies requesters of answers and workers of released probes. */
const finishStatement = `
  WITH done AS (
    UPDATE mailvet.probes SET lease = NULL, holder = NULL, worker = $1::text, answer = given.answer, retry_at = mailvet.now_ms() + given.retry_in,
      avoid = CASE WHEN given.avoid_us THEN avoid || $1::text ELSE avoid END
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::boolean[])
      AS given (id, lease, answer, retry_in, avoid_us)
    WHERE probes.id = given.id AND probes.lease = given.lease
    RETURNING probes.id, probes.node, probes.lane, probes.answer IS NOT NULL AS answered
  ), answers AS (
    SELECT ${answersChannelOf('node')} AS channel, id, row_number() OVER (PARTITION BY node) / ${idsPerMessage} AS part
    FROM done WHERE answered
  )
  SELECT pg_notify(channel, string_agg(id::text, E'\n'))::text AS notified FROM answers GROUP BY channel, part
  UNION ALL
  SELECT pg_notify('${shardsChannel}', lane)::text FROM done WHERE NOT answered GROUP BY lane`;

/** The delay until the retry, since the clocks of machines differ. */
function retryInMs(answer: ProbeAnswer | null): number | null {
  const retryAt = answer?.mailbox.retryAt ?? null;
  return retryAt === null ? null : Math.round(retryAt * 1000 - Date.now());
}
