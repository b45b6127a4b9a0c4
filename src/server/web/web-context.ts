import type { ScryptCost } from '../../jobs/admin-password.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { serverRetentionMs } from '../../jobs/store/retention.js';
import type { SessionRecord } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import type { Level } from '../../model/evidence.js';
import type { Check } from '../../service/diagnosis/check.js';
import type { SessionView } from '../../wire/app.js';
import type { Sessions, SetUp } from '../access/sessions.js';
import type { ServerContext } from '../server-context.js';
import type { SignIn } from './sign-in.js';

const dayMs = 24 * 60 * 60_000;

export interface WebOptions {
  folder: string;
  level: Level;
  passwordCost?: ScryptCost;
  /** What sets the password at each start, such as `MAILVET_ADMIN_PASSWORD`; absent if the store keeps it. */
  passwordSource?: string;
  /** The setting `keep_jobs`. */
  keepJobsMs?: number | null;
  /** Checks what the server needs; connects to mail servers only with `dial`. */
  diagnose(options: { dial: boolean; signal: AbortSignal }): AsyncIterable<Check>;
}

export interface WebContext extends ServerContext {
  store: JobStore;
  sessions: Sessions;
  /** The administrator, or the current record of the key; null for an invalid key. */
  ownerOfSession(session: SessionRecord): Promise<KeyRecord | null>;
  signIn: SignIn;
  setUp: SetUp;
  web: WebOptions;
}

/** Facts about the server, for signed-in users. */
export async function serverFacts({
  web,
  limits,
  store,
}: WebContext): Promise<Extract<SessionView, { state: 'signed_in' }>['server']> {
  const keepMs = await serverRetentionMs(store, web.keepJobsMs ?? null);
  return {
    level: web.level,
    max_upload_bytes: limits.fileBytes,
    max_rows: limits.rows,
    keep_days: keepMs === null ? null : keepMs / dayMs,
    password_source: web.passwordSource ?? null,
  };
}
