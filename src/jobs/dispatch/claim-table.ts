import type { ProbeAnswer, ProbeRequest } from '../../net/probe/prober.js';
import type { Database, Sql } from '../store/postgres/database.js';
import { defaultSilentMs, nowMs } from '../store/postgres/heartbeat.js';
import { number, text } from '../store/records.js';
import { answersChannelOf, shardsChannel } from './channels.js';

/** A worker: its process and its name. */
export interface WorkerId {
  id: string;
  name: string;
}

/** A mailbox that a worker has taken to ask for. */
export interface Claim {
  id: number;
  /** By which its answer is accepted, as long as nobody else has taken it. */
  lease: string;
  shard: string;
  rateLimitGroup: string;
  requester: string;
  priority: number;
  attempts: number;
  /** Names of workers that were refused. */
  avoid: readonly string[];
  request: ProbeRequest;
}

/** What a worker may take. */
interface ClaimOptions {
  lease: string;
  /** With the least urgency that is taken of each. */
  shards: readonly { lane: string; urgency: number }[];
  perShard: number;
  maxClaims: number;
  /** Whom others should ask. */
  excludedGroups: readonly string[];
}

/** What came of a claim: its answer, or null where another worker should ask. */
export interface ClaimOutcome {
  claim: Claim;
  answer: ProbeAnswer | null;
  /** Not this worker again. */
  avoidUs?: true;
}

/** What a worker does. */
interface WorkerStats {
  lanes: number;
  probes: number;
  answered: number;
  /** It could do more than it finds. */
  hasCapacity: boolean;
}

/** The table of probes, for those who answer. */
export interface ClaimTable {
  claim(self: WorkerId, wishes: ClaimOptions): Promise<Claim[]>;
  /** Writes what came of claims that are still ours; whoever waits is told. */
  finish(self: WorkerId, outcomes: readonly ClaimOutcome[]): Promise<void>;
  /** Gives back what was claimed for us but never came to us, since the connection broke. */
  releaseOrphans(self: WorkerId, known: readonly Claim[]): Promise<void>;
  /** Shows the others what this worker does. */
  report(self: WorkerId, figures: WorkerStats): Promise<void>;
  /** It takes no lanes any more. */
  retire(self: WorkerId): Promise<void>;
  /** Notes that a party refuses this worker for some time. */
  block(self: WorkerId, party: string, forMs: number, reply: string | null): Promise<void>;
}

/** The table in a database. */
export function claimTable(database: Database): ClaimTable {
  return {
    claim: (self, wishes) => database.runRepeatable((sql) => claim(sql, self, wishes)),
    finish: (self, outcomes) => database.runRepeatable((sql) => finish(sql, self, outcomes)),
    releaseOrphans: async ({ id }, known) => {
      await database.writeRepeatable((sql) =>
        sql.run(
          `UPDATE mailvet.probes SET lease = NULL, holder = NULL
           WHERE answer IS NULL AND lease IS NOT NULL AND holder = $1
             AND id NOT IN (SELECT unnest($2::bigint[]))`,
          id,
          known.map((claim) => claim.id),
        ),
      );
    },
    report: async ({ id }, { lanes, probes, answered, hasCapacity: hungry }) => {
      await database.runRepeatable((sql) =>
        sql.often(
          `UPDATE mailvet.workers SET takes_lanes = true, lanes = $1, probes = $2, answered = $3, hungry = $4 WHERE id = $5`,
          ...[lanes, probes, answered, hungry, id],
        ),
      );
    },
    retire: async ({ id, name }) => {
      await database.writeRepeatable(async (sql) => {
        await sql.run(
          'UPDATE mailvet.workers SET takes_lanes = false, lanes = 0, probes = 0, hungry = false WHERE id = $1',
          id,
        );
        // Who signs out is soon forgotten: from now on it is waited for.
        await sql.run(
          'UPDATE mailvet.probes SET due_at = mailvet.now_ms() WHERE answer IS NULL AND lease IS NULL AND only_worker = $1',
          name,
        );
      });
    },
    block: async ({ name }, party, forMs, reply) => {
      await database.writeRepeatable((sql) =>
        sql.run(
          `INSERT INTO mailvet.blocks VALUES ($1, $2, mailvet.now_ms(), mailvet.now_ms() + $3, $4)
           ON CONFLICT (worker, party) DO UPDATE SET until = excluded.until, reply = excluded.reply`,
          name,
          party,
          forMs,
          reply,
        ),
      );
    },
  };
}

/** How long a worker is waited for that a mail server knows, from its last sign of life on: it may be started anew. */
const waitForWorkerMs = 2 * 60_000;

/** Its own worker is gone for good, or refused there, so that another may as well begin anew. */
const isOrphan = `(due_at < ${nowMs} - ${waitForWorkerMs} AND NOT EXISTS (
    SELECT FROM mailvet.workers WHERE name = only_worker AND kind = 'worker'
      AND alive_until > ${nowMs} - ${waitForWorkerMs - defaultSilentMs}
      AND (takes_lanes OR started_at > ${nowMs} - ${waitForWorkerMs}))
  OR EXISTS (SELECT FROM mailvet.blocks WHERE blocks.worker = only_worker AND blocks.party = probes.party
      AND blocks.until > ${nowMs}))`;

/** True of a probe that the worker `$1` may ask for now, `$2` being whom he should leave to others. */
export const isClaimable = `(due_at <= ${nowMs} AND (deadline IS NULL OR deadline > ${nowMs})
  AND (only_worker IS NULL OR only_worker = $1 OR ${isOrphan}) AND $1 <> ALL(avoid) AND party <> ALL($2::text[]))`;

async function claim(sql: Sql, self: WorkerId, wishes: ClaimOptions): Promise<Claim[]> {
  // Lane by lane, by the index: a lane of a hundred thousand rows is not looked through for the sake of one.
  const rows = await sql.often(
    `UPDATE mailvet.probes SET lease = $3, holder = $4, worker = $1, attempts = attempts + 1
     WHERE id IN (
       SELECT found.id FROM unnest($5::text[], $6::smallint[]) AS wanted (lane, urgency) CROSS JOIN LATERAL (
         SELECT id, urgency, rank FROM mailvet.probes
         WHERE probes.lane = wanted.lane AND probes.urgency <= wanted.urgency AND answer IS NULL AND lease IS NULL AND ${isClaimable}
         ORDER BY urgency, rank, id LIMIT $7 FOR UPDATE SKIP LOCKED) AS found
       ORDER BY found.urgency, found.rank LIMIT $8)
     RETURNING id, lane, party, asker, urgency, attempts, avoid, question`,
    self.name,
    wishes.excludedGroups,
    wishes.lease,
    self.id,
    wishes.shards.map(({ lane }) => lane),
    wishes.shards.map(({ urgency }) => urgency),
    wishes.perShard,
    wishes.maxClaims,
  );
  return rows.map((row) => ({
    id: number(row, 'id'),
    lease: wishes.lease,
    shard: text(row, 'lane'),
    rateLimitGroup: text(row, 'party'),
    requester: text(row, 'asker'),
    priority: number(row, 'urgency'),
    attempts: number(row, 'attempts'),
    avoid: row['avoid'] as string[],
    request: JSON.parse(text(row, 'question')) as ProbeRequest,
  }));
}

async function finish(sql: Sql, { name }: WorkerId, outcomes: readonly ClaimOutcome[]): Promise<void> {
  await sql.often(
    finishStatement,
    name,
    outcomes.map(({ claim }) => claim.id),
    outcomes.map(({ claim }) => claim.lease),
    outcomes.map(({ answer }) => (answer === null ? null : JSON.stringify(answer))),
    outcomes.map(({ answer }) => retryAtMs(answer)),
    outcomes.map(({ avoidUs = false }) => avoidUs),
  );
}

/** Numbers of probes that one message holds. */
const idsOfMessage = 350;

/** Who waits for an answer is told of it, and workers of what another is to ask for, in the same breath. */
const finishStatement = `
  WITH done AS (
    UPDATE mailvet.probes SET lease = NULL, holder = NULL, worker = $1::text, answer = given.answer, retry_at = given.retry_at,
      avoid = CASE WHEN given.avoid_us THEN avoid || $1::text ELSE avoid END
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::boolean[])
      AS given (id, lease, answer, retry_at, avoid_us)
    WHERE probes.id = given.id AND probes.lease = given.lease
    RETURNING probes.id, probes.node, probes.lane, probes.answer IS NOT NULL AS answered
  ), answers AS (
    SELECT ${answersChannelOf('node')} AS channel, id, row_number() OVER (PARTITION BY node) / ${idsOfMessage} AS part
    FROM done WHERE answered
  )
  SELECT pg_notify(channel, string_agg(id::text, E'\n'))::text AS told FROM answers GROUP BY channel, part
  UNION ALL
  SELECT pg_notify('${shardsChannel}', lane)::text FROM done WHERE NOT answered GROUP BY lane`;

function retryAtMs(answer: ProbeAnswer | null): number | null {
  const retryAt = answer?.mailbox.retryAt ?? null;
  return retryAt === null ? null : Math.round(retryAt * 1000);
}
