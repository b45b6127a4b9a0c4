import type { ProbeAnswer } from '../../net/probe/prober.js';
import type { Database } from '../store/postgres/database.js';
import { isDead, nowMs } from '../store/postgres/heartbeat.js';
import { number, text, textOrNull } from '../store/records.js';
import { interactiveChannel, notify, shardsChannel } from './channels.js';

/** A mailbox to be asked for. */
export interface ProbeRow {
  requester: string;
  /** The mailbox, once for each asker. */
  mailbox: string;
  /** One of `urgencies`. */
  priority: number;
  /** How many the asker asked for before. */
  rank: number;
  shard: string;
  rateLimitGroup: string;
  /** The request, encoded. */
  request: string;
  /** After so long nobody waits for it any more; null: until its job ends. */
  withinMs: number | null;
}

/** A question that is in the table; its answer may be there, too. */
export interface StoredProbe {
  id: number;
  answer: ProbeAnswer | null;
}

/** The table of probes, for those who ask. */
interface RequestTable {
  /** Puts questions where workers find them; one that is there already, from an earlier holder of the job, is not put twice. Gives the lanes that nobody holds, too. */
  put(node: string, questions: readonly ProbeRow[]): Promise<{ asked: StoredProbe[]; free: string[] }>;
  /** What is there of these, answered or not. */
  read(ids: readonly number[]): Promise<StoredProbe[]>;
  remove(ids: readonly number[]): Promise<void>;
}

/** Somebody waits for this one, or for many; a job has time. */
export const priorities = { single: 0, bulk: 1, job: 2 };

/** Somebody waits for the answer, and not only a job. */
export function isInteractive({ priority }: { priority: number }): boolean {
  return priority < priorities.job;
}

/** The table in a database. */
export function requestTable(database: Database): RequestTable {
  return {
    put: (node, questions) =>
      database.writeRepeatable(async (sql) => {
        const columns = [
          questions.map(({ requester: asker }) => asker),
          questions.map(({ mailbox: place }) => place),
          questions.map(({ priority }) => priority),
          questions.map(({ rank }) => rank),
          questions.map(({ shard: lane }) => lane),
          questions.map(({ rateLimitGroup: party }) => party),
          questions.map(({ request }) => request),
          questions.map(({ withinMs }) => withinMs ?? -1),
        ] as const;
        const rows = await sql.often(putStatement, node, ...columns);
        const byKey = new Map(rows.map((row) => [`${text(row, 'asker')} ${text(row, 'place')}`, row]));
        const lanes = [...new Set(columns[4])];
        await notify(sql, shardsChannel, lanes);
        if (questions.some(isInteractive)) await notify(sql, interactiveChannel, ['now']);
        const free = await sql.often(freeStatement, lanes);
        return {
          asked: questions.map(({ requester: asker, mailbox: place }) =>
            readAsked(byKey.get(`${asker} ${place}`) ?? {}),
          ),
          free: free.map((row) => text(row, 'lane')),
        };
      }),
    read: (ids) =>
      database.read(async (sql) => {
        const rows = await sql.often('SELECT id, answer FROM mailvet.probes WHERE id = ANY($1::bigint[])', ids);
        return rows.map(readAsked);
      }),
    remove: async (ids) => {
      await database.runRepeatable((sql) => sql.often('DELETE FROM mailvet.probes WHERE id = ANY($1::bigint[])', ids));
    },
  };
}

/** The mail server said "try later", and later is now: the same worker asks again, since it knows his address. */
const isAskedAgain = '(probes.answer IS NOT NULL AND probes.retry_at <= mailvet.now_ms())';

const putStatement = `
  INSERT INTO mailvet.probes AS probes (node, asker, place, urgency, rank, lane, party, question, deadline)
  SELECT $1, asker, place, urgency, rank, lane, party, question,
    CASE WHEN within < 0 THEN NULL ELSE mailvet.now_ms() + within END
  FROM unnest($2::text[], $3::text[], $4::smallint[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::bigint[])
    AS given (asker, place, urgency, rank, lane, party, question, within)
  ORDER BY asker, place
  ON CONFLICT (asker, place) DO UPDATE SET node = excluded.node, rank = excluded.rank,
    question = CASE WHEN ${isAskedAgain} THEN excluded.question ELSE probes.question END,
    lane = CASE WHEN ${isAskedAgain} THEN excluded.lane ELSE probes.lane END,
    party = CASE WHEN ${isAskedAgain} THEN excluded.party ELSE probes.party END,
    only_worker = CASE WHEN ${isAskedAgain} THEN probes.worker ELSE probes.only_worker END,
    avoid = CASE WHEN ${isAskedAgain} THEN '{}' ELSE probes.avoid END,
    due_at = CASE WHEN ${isAskedAgain} THEN mailvet.now_ms() ELSE probes.due_at END,
    answer = CASE WHEN ${isAskedAgain} THEN NULL ELSE probes.answer END,
    retry_at = CASE WHEN ${isAskedAgain} THEN NULL ELSE probes.retry_at END
  RETURNING id, asker, place, answer`;

const freeStatement = `
  SELECT lane FROM unnest($1::text[]) AS given (lane)
  WHERE lane NOT LIKE '@%' AND NOT EXISTS (
    SELECT FROM mailvet.lanes WHERE lanes.lane = given.lane AND holder IS NOT NULL AND until > ${nowMs}
      AND NOT ${isDead('lanes.holder')})`;

function readAsked(row: Record<string, unknown>): StoredProbe {
  const answer = textOrNull(row, 'answer');
  return { id: number(row, 'id'), answer: answer === null ? null : (JSON.parse(answer) as ProbeAnswer) };
}
