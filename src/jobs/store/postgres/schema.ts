import { Failure } from '../../../model/failure.js';
import { readNumber } from '../records.js';
import { foldFilenames, hideProxyPasswords } from '../sql/job-queries.js';
import type { Steps } from '../sql/steps.js';
import { runSteps } from './backend.js';
import type { Database, Sql } from './database.js';

/** Statements, and steps that SQL cannot express. */
type Migration = readonly (string | (() => Steps<void>))[];

/**
 * Each entry migrates the store from the version of its index to the next. Entries are only added, never
 * changed, and only expand the store: processes of the previous version use it until they are restarted.
 */
export const migrations: readonly Migration[] = [
  [
    // The clock that all machines share.
    `CREATE FUNCTION mailvet.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
       'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'`,
    'CREATE TABLE mailvet.commits (token uuid PRIMARY KEY, at bigint NOT NULL DEFAULT mailvet.now_ms())',
    'CREATE INDEX commits_by_age ON mailvet.commits (at)',
    `CREATE TABLE mailvet.secrets (name text PRIMARY KEY, value bytea NOT NULL)`,
    `CREATE TABLE mailvet.workers (
      id text PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, program text NOT NULL,
      started_at bigint NOT NULL, alive_until bigint NOT NULL)`,
    `CREATE TABLE mailvet.uploads (
      id text PRIMARY KEY, owner text NOT NULL, filename text NOT NULL, source text, source_size bigint, source_changed bigint,
      columns text NOT NULL, row_count bigint, row_count_exact integer NOT NULL, created_at bigint NOT NULL, group_id text,
      reading text NOT NULL DEFAULT '{}')`,
    'CREATE INDEX uploads_by_age ON mailvet.uploads (created_at) WHERE group_id IS NULL',
    `CREATE TABLE mailvet.jobs (
      num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, group_id text NOT NULL, part integer NOT NULL,
      parts integer NOT NULL, owner text NOT NULL, upload_id text NOT NULL, filename text NOT NULL, email_column text NOT NULL,
      options text NOT NULL, first_row bigint NOT NULL, total integer NOT NULL, unique_total integer NOT NULL, reserved integer,
      state text NOT NULL, processed integer NOT NULL DEFAULT 0, valid integer NOT NULL DEFAULT 0,
      invalid integer NOT NULL DEFAULT 0, risky integer NOT NULL DEFAULT 0, unknown integer NOT NULL DEFAULT 0,
      duplicate integer NOT NULL DEFAULT 0, sub_counts text NOT NULL DEFAULT '{}', created_at bigint NOT NULL, started_at bigint,
      finished_at bigint, run_started_at bigint, run_base integer NOT NULL DEFAULT 0, error text, worker text, node text,
      lease_until bigint, waiting integer NOT NULL DEFAULT 0, next_retry_at bigint)`,
    'CREATE INDEX jobs_by_owner ON mailvet.jobs (owner, num)',
    'CREATE INDEX jobs_by_group ON mailvet.jobs (group_id, part)',
    `CREATE INDEX jobs_open ON mailvet.jobs (num) WHERE state IN ('queued', 'running')`,
    `CREATE TABLE mailvet.chunks (
      num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job bigint NOT NULL REFERENCES mailvet.jobs ON DELETE CASCADE,
      data text NOT NULL)`,
    'CREATE INDEX chunks_by_job ON mailvet.chunks (job, num)',
    `CREATE TABLE mailvet.files (
      num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL, whole boolean NOT NULL DEFAULT false,
      pieces integer NOT NULL DEFAULT 0, created_at bigint NOT NULL DEFAULT mailvet.now_ms())`,
    'CREATE UNIQUE INDEX files_by_id ON mailvet.files (id) WHERE whole',
    `CREATE TABLE mailvet.pieces (
      file bigint NOT NULL REFERENCES mailvet.files ON DELETE CASCADE, num integer NOT NULL, data bytea NOT NULL,
      PRIMARY KEY (file, num))`,
    'CREATE TABLE mailvet.cache (key text PRIMARY KEY, verdict text NOT NULL, checked_at bigint NOT NULL)',
    'CREATE INDEX cache_by_age ON mailvet.cache (checked_at)',
    `CREATE TABLE mailvet.keys (
      id text PRIMARY KEY, name text NOT NULL, prefix text NOT NULL, hash text NOT NULL UNIQUE, plan text NOT NULL, credits bigint,
      granted bigint, created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, last_used_at bigint)`,
    `CREATE TABLE mailvet.reservations (
      id text PRIMARY KEY, key_id text NOT NULL, amount bigint NOT NULL, holder text NOT NULL, created_at bigint NOT NULL)`,
    `CREATE TABLE mailvet.admin (
      only_one integer PRIMARY KEY CHECK (only_one = 1), password text NOT NULL, changed_at bigint NOT NULL)`,
    `CREATE TABLE mailvet.sessions (
      hash text PRIMARY KEY, owner text NOT NULL, user_agent text NOT NULL, created_at bigint NOT NULL,
      last_used_at bigint NOT NULL)`,
    `CREATE TABLE mailvet.usage (
      day text NOT NULL, owner text NOT NULL, kind text NOT NULL, name text NOT NULL, count bigint NOT NULL,
      PRIMARY KEY (day, owner, kind, name))`,
    // Unlogged: a crash only refills every token bucket.
    `CREATE UNLOGGED TABLE mailvet.rates (key_id text PRIMARY KEY, tokens double precision NOT NULL, at bigint NOT NULL)`,
  ],
  [
    // A name is stable across restarts, like the outbound address; `kind` is worker, node or command.
    `ALTER TABLE mailvet.workers ADD COLUMN name text NOT NULL DEFAULT '', ADD COLUMN source_ip text,
       ADD COLUMN kind text NOT NULL DEFAULT 'node', ADD COLUMN takes_lanes boolean NOT NULL DEFAULT false, ADD COLUMN lanes integer NOT NULL DEFAULT 0,
       ADD COLUMN probes integer NOT NULL DEFAULT 0, ADD COLUMN answered bigint NOT NULL DEFAULT 0`,
    // Probes of mailboxes. `asker` is a job or a request; `node` (which waits for the answer) and `holder` are processes; `worker`
    // (which answered), `only_worker` and `avoid` are names of workers.
    `CREATE TABLE mailvet.probes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, asker text NOT NULL, place text NOT NULL, node text NOT NULL,
      urgency smallint NOT NULL, rank integer NOT NULL, lane text NOT NULL, party text NOT NULL, question text NOT NULL,
      created_at bigint NOT NULL DEFAULT mailvet.now_ms(), due_at bigint NOT NULL DEFAULT mailvet.now_ms(), deadline bigint,
      only_worker text, avoid text[] NOT NULL DEFAULT '{}', attempts integer NOT NULL DEFAULT 0, lease text, holder text,
      worker text, answer text, retry_at bigint, UNIQUE (asker, place))
      WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)`,
    `CREATE INDEX probes_waiting ON mailvet.probes (lane, urgency, rank, id) WHERE answer IS NULL AND lease IS NULL`,
    `CREATE INDEX probes_picky ON mailvet.probes (lane)
       WHERE answer IS NULL AND lease IS NULL AND (only_worker IS NOT NULL OR avoid <> '{}')`,
    `CREATE INDEX probes_leased ON mailvet.probes (lane) WHERE answer IS NULL AND lease IS NOT NULL`,
    'CREATE INDEX probes_by_deadline ON mailvet.probes (deadline) WHERE deadline IS NOT NULL',
    // Leases of shards (lanes); `holder` and `wanted_by` are processes.
    `CREATE TABLE mailvet.lanes (lane text PRIMARY KEY, holder text, until bigint NOT NULL, wanted_by text)`,
    // Workers that a provider or mail host blocks, and until when they do not connect there.
    `CREATE TABLE mailvet.blocks (
      worker text NOT NULL, party text NOT NULL, since bigint NOT NULL, until bigint NOT NULL, reply text,
      PRIMARY KEY (worker, party))`,
  ],
  ['ALTER TABLE mailvet.jobs ADD COLUMN resolver_down integer NOT NULL DEFAULT 0'],
  ['ALTER TABLE mailvet.jobs ADD COLUMN reused integer NOT NULL DEFAULT 0'],
  // A worker with spare capacity: others release some of their shards to it.
  ['ALTER TABLE mailvet.workers ADD COLUMN hungry boolean NOT NULL DEFAULT false'],
  [`ALTER TABLE mailvet.jobs ADD COLUMN filename_folded text NOT NULL DEFAULT ''`, foldFilenames],
  ['ALTER TABLE mailvet.jobs ADD COLUMN crashes integer NOT NULL DEFAULT 0'],
  [
    `CREATE TABLE mailvet.members (
      id text PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, role text NOT NULL, password text,
      invitation text UNIQUE, invited_until bigint, created_at bigint NOT NULL, last_sign_in_at bigint)`,
    `CREATE TABLE mailvet.audit (
      num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, actor text NOT NULL, actor_name text NOT NULL,
      action text NOT NULL, subject text NOT NULL, subject_name text NOT NULL, address text NOT NULL)`,
    `ALTER TABLE mailvet.sessions ADD COLUMN address text NOT NULL DEFAULT ''`,
    'ALTER TABLE mailvet.keys ADD COLUMN member text',
  ],
  [
    `CREATE TABLE mailvet.webhooks (
      id text PRIMARY KEY, owner text NOT NULL, url text NOT NULL, events text NOT NULL, secret text NOT NULL, old_secret text,
      old_secret_until bigint, created_at bigint NOT NULL)`,
    `CREATE TABLE mailvet.deliveries (
      id text PRIMARY KEY, webhook text NOT NULL, event text NOT NULL, payload text NOT NULL, created_at bigint NOT NULL,
      state text NOT NULL, attempts integer NOT NULL, next_at bigint NOT NULL, lease_until bigint NOT NULL DEFAULT 0,
      last_status integer, last_error text)`,
    'CREATE INDEX deliveries_by_webhook ON mailvet.deliveries (webhook, created_at)',
    `CREATE INDEX deliveries_due ON mailvet.deliveries (next_at) WHERE state = 'pending'`,
    'CREATE INDEX jobs_by_end ON mailvet.jobs (finished_at)',
  ],
  // For counting jobs by state.
  ['CREATE INDEX jobs_by_state ON mailvet.jobs (state)'],
  [
    `ALTER TABLE mailvet.webhooks ADD COLUMN created_by text NOT NULL DEFAULT ''`,
    `ALTER TABLE mailvet.members ADD COLUMN invited_by text NOT NULL DEFAULT ''`,
  ],
  // JSON for metrics; a key that a process does not know is ignored.
  [`ALTER TABLE mailvet.workers ADD COLUMN stats text NOT NULL DEFAULT '{}'`],
  ['CREATE TABLE mailvet.settings (name text PRIMARY KEY, value text NOT NULL)'],
  // The cache had suggested spellings.
  ['DELETE FROM mailvet.cache', hideProxyPasswords],
  [
    'CREATE TABLE mailvet.answers (key text PRIMARY KEY, answer text, checked_at bigint NOT NULL)',
    'CREATE INDEX answers_by_age ON mailvet.answers (checked_at)',
  ],
];

/** The advisory lock of a migration: an arbitrary number. */
const migrationLock = 7_263_845_110_921;

/** The longest wait for the lock of a table. */
const lockTimeout = '5s';

/** Migrates the store to the newest version and returns both versions. Throws for a store of a newer mailvet. */
export async function migrate(
  database: Database,
  makeSecrets: (sql: Sql) => Promise<void>,
  steps = migrations,
): Promise<{ from: number; to: number }> {
  return database.writeRepeatable(async (sql) => {
    // A large table takes longer than a request may.
    await sql.run('SET LOCAL statement_timeout = 0');
    await sql.run('SELECT pg_advisory_xact_lock($1)', migrationLock);
    // Other processes would wait behind a change that waits for a long transaction.
    await sql.run(`SET LOCAL lock_timeout = '${lockTimeout}'`);
    const from = await readVersion(sql);
    if (from > steps.length) throw tooNew(database.name, from, steps.length);
    if (from === 0) {
      await sql.run('CREATE SCHEMA IF NOT EXISTS mailvet');
      await sql.run('CREATE TABLE mailvet.version (version integer NOT NULL)');
      await sql.run('INSERT INTO mailvet.version VALUES (0)');
    }
    for (const step of steps.slice(from).flat()) {
      await (typeof step === 'string' ? sql.run(step) : runSteps(sql, step()));
    }
    await makeSecrets(sql);
    await sql.run('UPDATE mailvet.version SET version = $1', steps.length);
    return { from, to: steps.length };
  });
}

/** The version of the store; 0 if there is none. */
export async function readVersion(sql: Sql): Promise<number> {
  // to_regclass would cache that there is no table while another process creates it.
  const table = await sql.get(`SELECT FROM pg_tables WHERE schemaname = 'mailvet' AND tablename = 'version'`);
  if (table === null) return 0;
  const row = await sql.get('SELECT version FROM mailvet.version');
  return row === null ? 0 : readNumber(row, 'version');
}

/** Throws if the version of the store differs. Migrations are explicit, since other machines may use the store. */
export function checkVersion(name: string, version: number, latest = migrations.length): void {
  if (version > latest) throw tooNew(name, version, latest);
  if (version === latest) return;
  const problem =
    version === 0 ? 'contains no mailvet store yet' : `has version ${version}, and this mailvet needs ${latest}`;
  const note =
    version === 0
      ? ''
      : `. It ${describeMigrations(version).join(', ')}. Processes of the older version continue until they are restarted.`;
  throw new Failure('storage', `The database ${name} ${problem}.`, {
    hint: `Prepare it with: mailvet store migrate${note}`,
  });
}

/** Describes the migrations after a version, for example `adds jobs.crashes`. */
function describeMigrations(from: number, steps = migrations): string[] {
  const changes = steps.slice(from).flatMap((migration) => migration.map(describeStep));
  return [...new Set(changes.flat())];
}

function describeStep(step: Migration[number]): string[] {
  if (typeof step !== 'string') return ['rewrites rows'];
  const [, table] = /^ALTER TABLE mailvet\.(\w+)/.exec(step) ?? [];
  if (table !== undefined)
    return [...step.matchAll(/ADD COLUMN (\w+)/g)].map(([, column]) => `adds ${table}.${column}`);
  const [, kind, name] = /^CREATE (?:UNLOGGED |UNIQUE )?(TABLE|INDEX) (?:mailvet\.)?(\w+)/.exec(step) ?? [];
  return kind === undefined ? [] : [`creates the ${kind.toLowerCase()} ${name}`];
}

function tooNew(name: string, version: number, latest: number): Failure {
  return new Failure(
    'storage',
    `The store in the database ${name} was written by a newer mailvet (its version is ${version}, this one knows ${latest}).`,
    { hint: 'Nothing was changed. Update mailvet on this machine.' },
  );
}
