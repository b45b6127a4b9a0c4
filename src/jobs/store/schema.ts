import { Failure } from '../../model/failure.js';
import { nothingForgotten } from './job-record.js';

/** Changes with the schema. Builds before version 25 were never released, and their stores are not read. */
export const schemaVersion = 25;

/** What the two databases name differently in the schema. */
interface Dialect {
  /** A number that grows with each row. */
  growing: string;
  /** Stores the rows in the index of their key. */
  byKey: string;
}

/** SQLite's own functions are those that PostgreSQL gets in `clusterSchema`. */
export const sqliteDialect: Dialect = { growing: 'INTEGER PRIMARY KEY', byKey: ' WITHOUT ROWID' };
export const postgresDialect: Dialect = { growing: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY', byKey: '' };

/** The tables of both stores. Times are in ms since 1970; SQLite reads `bigint` and `integer` as the same type. */
export const sharedSchema = ({ growing, byKey }: Dialect): string => `
  CREATE TABLE uploads (
    id text PRIMARY KEY, owner text NOT NULL, filename text NOT NULL, source text, source_size bigint, source_changed bigint,
    columns text NOT NULL, reading text NOT NULL, row_count bigint, row_count_exact integer NOT NULL, created_at bigint NOT NULL,
    job_id text);
  CREATE INDEX uploads_unconfirmed ON uploads (owner, created_at) WHERE job_id IS NULL;

  CREATE TABLE jobs (
    num ${growing}, id text NOT NULL UNIQUE, owner text NOT NULL, upload_id text NOT NULL, filename text NOT NULL, filename_folded text NOT NULL DEFAULT '',
    email_column text NOT NULL, options text NOT NULL, total integer NOT NULL,
    unique_total integer NOT NULL, reserved integer, state text NOT NULL, processed integer NOT NULL DEFAULT 0,
    valid integer NOT NULL DEFAULT 0, invalid integer NOT NULL DEFAULT 0, risky integer NOT NULL DEFAULT 0,
    unknown integer NOT NULL DEFAULT 0, duplicate integer NOT NULL DEFAULT 0, sub_counts text NOT NULL DEFAULT '{}',
    resolver_down integer NOT NULL DEFAULT 0, reused integer NOT NULL DEFAULT 0,
    forgotten text NOT NULL DEFAULT '${JSON.stringify(nothingForgotten)}', created_at bigint NOT NULL, started_at bigint,
    finished_at bigint, run_started_at bigint, run_base integer NOT NULL DEFAULT 0, error text, worker text, lease_until bigint,
    crashes integer NOT NULL DEFAULT 0, waiting integer NOT NULL DEFAULT 0, next_retry_at bigint);
  CREATE INDEX jobs_by_owner ON jobs (owner, num);
  CREATE INDEX jobs_by_turn ON jobs (state, owner, num);
  CREATE INDEX jobs_by_state ON jobs (state);
  CREATE INDEX jobs_open ON jobs (num) WHERE state IN ('queued', 'running');
  CREATE INDEX jobs_by_end ON jobs (finished_at);

  CREATE TABLE chunks (
    num ${growing}, job bigint NOT NULL REFERENCES jobs ON DELETE CASCADE, slice integer, token text, data text NOT NULL);
  CREATE INDEX chunks_by_job ON chunks (job, num);

  CREATE TABLE answers (key text PRIMARY KEY, answer text, checked_at bigint NOT NULL)${byKey};

  CREATE TABLE keys (
    id text PRIMARY KEY, name text NOT NULL, prefix text NOT NULL, hash text NOT NULL UNIQUE, plan text NOT NULL, credits bigint,
    granted bigint, created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, last_used_at bigint, member_id text);
  CREATE TABLE reservations (
    id text PRIMARY KEY, key_id text NOT NULL, amount bigint NOT NULL, holder text NOT NULL, created_at bigint NOT NULL);

  CREATE TABLE admin (only_one integer PRIMARY KEY CHECK (only_one = 1), password text NOT NULL, changed_at bigint NOT NULL);
  CREATE TABLE members (
    id text PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, role text NOT NULL, password_hash text,
    invitation text UNIQUE, invited_until bigint, invited_by text NOT NULL DEFAULT '', created_at bigint NOT NULL,
    last_sign_in_at bigint);
  CREATE TABLE sessions (
    hash text PRIMARY KEY, owner text NOT NULL, user_agent text NOT NULL, address text NOT NULL, created_at bigint NOT NULL,
    last_used_at bigint NOT NULL)${byKey};
  CREATE TABLE audit (
    num ${growing}, at bigint NOT NULL, actor text NOT NULL, actor_name text NOT NULL, action text NOT NULL,
    subject text NOT NULL, subject_name text NOT NULL, network text NOT NULL);

  CREATE TABLE webhooks (
    id text PRIMARY KEY, owner text NOT NULL, url text NOT NULL, events text NOT NULL, secret text NOT NULL, old_secret text,
    old_secret_until bigint, created_at bigint NOT NULL, created_by text NOT NULL DEFAULT '');
  CREATE TABLE deliveries (
    id text PRIMARY KEY, webhook_id text NOT NULL, event text NOT NULL, payload text NOT NULL, created_at bigint NOT NULL,
    state text NOT NULL, attempts integer NOT NULL, next_at bigint NOT NULL, lease_until bigint NOT NULL DEFAULT 0,
    last_status integer, last_error text);
  CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, created_at);
  CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'pending';

  CREATE TABLE usage (
    day text NOT NULL, owner text NOT NULL, kind text NOT NULL, name text NOT NULL, count bigint NOT NULL,
    PRIMARY KEY (day, owner, kind, name))${byKey};
  CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL)${byKey}`;

/** What only PostgreSQL has: SQLite's functions under their names, the version, the shared secret, files, and the processes. */
export const clusterSchema = `
  CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  CREATE FUNCTION json_each(list text) RETURNS TABLE (value json) LANGUAGE sql IMMUTABLE AS
    'SELECT json_array_elements(list::json)';
  CREATE FUNCTION add_counts(one text, other text) RETURNS text LANGUAGE sql IMMUTABLE AS
    'SELECT coalesce(json_object_agg(key, total), ''{}'') FROM (SELECT key, sum(value::bigint) AS total FROM
      (SELECT * FROM json_each_text(one::json) UNION ALL SELECT * FROM json_each_text(other::json)) AS entries GROUP BY key) AS sums';
  CREATE FUNCTION instr(text text, part text) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT strpos(text, part)';

  CREATE TABLE version (version integer NOT NULL);
  CREATE TABLE commits (token uuid PRIMARY KEY, at bigint NOT NULL DEFAULT now_ms());
  CREATE INDEX commits_by_age ON commits (at);
  CREATE TABLE secrets (name text PRIMARY KEY, value bytea NOT NULL);
  CREATE TABLE files (
    num ${postgresDialect.growing}, id text NOT NULL, whole boolean NOT NULL DEFAULT false, pieces integer NOT NULL DEFAULT 0,
    created_at bigint NOT NULL DEFAULT now_ms());
  CREATE UNIQUE INDEX files_by_id ON files (id) WHERE whole;
  CREATE TABLE pieces (
    file bigint NOT NULL REFERENCES files ON DELETE CASCADE, num integer NOT NULL, data bytea NOT NULL, PRIMARY KEY (file, num));
  CREATE INDEX answers_by_age ON answers (checked_at);

  CREATE SEQUENCE generations;
  CREATE TABLE slices (
    job bigint NOT NULL REFERENCES jobs ON DELETE CASCADE, place integer NOT NULL,
    generation bigint NOT NULL DEFAULT nextval('generations'), counts text NOT NULL DEFAULT '{}',
    sub_counts text NOT NULL DEFAULT '{}', worker text, node text, lease_until bigint, waiting integer NOT NULL DEFAULT 0, due bigint, home text,
    avoid text[] NOT NULL DEFAULT '{}', ended text[] NOT NULL DEFAULT '{}', PRIMARY KEY (job, place));
  CREATE INDEX slices_held ON slices (node) WHERE worker IS NOT NULL;
  CREATE INDEX slices_at_home ON slices (due) WHERE home IS NOT NULL;
  CREATE UNIQUE INDEX chunks_by_token ON chunks (job, token) WHERE token IS NOT NULL;
  CREATE TABLE workers (
    id text PRIMARY KEY, name text NOT NULL, kind text NOT NULL, host text NOT NULL, pid integer NOT NULL, program text NOT NULL,
    source_ip text, started_at bigint NOT NULL, alive_until bigint NOT NULL, works boolean NOT NULL, stats text NOT NULL);
  CREATE TABLE blocks (
    worker text NOT NULL, party text NOT NULL, since bigint NOT NULL, until bigint NOT NULL, reply text,
    PRIMARY KEY (worker, party))`;

/** The Failure for a store of another version, with the ways to leave it: another place for the store, and its removal. */
export function otherVersion(store: string, version: number, ways: { elsewhere: string; remove: string }): Failure {
  const isNewer = version > schemaVersion;
  const builder = isNewer ? 'a newer mailvet' : 'an older build of mailvet';
  const next = isNewer ? 'Update mailvet, or' : `Finish its jobs with that build, then ${ways.remove}; or`;
  return new Failure(
    'storage',
    `${store} was written by ${builder} (its version is ${version}, this one needs ${schemaVersion}).`,
    { hint: `Nothing was changed. ${next} ${ways.elsewhere}.` },
  );
}
