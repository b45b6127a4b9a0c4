import { count } from '../../../model/amount.js';
import type { ApiKey } from '../../../model/api-key.js';
import { Failure } from '../../../model/failure.js';
import type { Context } from '../../context.js';
import { renderFittingGrid } from '../../render/style/grid.js';

/** Makes a key and prints it, this once. */
export async function runKeysCreate(
  context: Context,
  wish: { name: string; plan: string; credits: number | null; expiresInMs: number | null; json: boolean },
): Promise<number> {
  const { name, plan, credits, expiresInMs, json } = wish;
  const keys = await context.keys();
  const expiresAt = expiresInMs === null ? null : Date.now() + expiresInMs;
  const { key, record } = await keys.create({ name, plan, credits, expiresAt });
  const { stdout } = context.terminal;
  const asJson = json || !stdout.isTty;
  const { id, name: shown, ...rest } = record;
  try {
    await stdout.write(asJson ? `${JSON.stringify({ id, name: shown, key, ...rest })}\n` : `${key}\n`);
  } catch (cause) {
    await keys.revoke(id);
    throw neverShown(cause);
  }
  if (!asJson) context.note(`This is the only time that the key is shown. Its id is ${id}.`);
  return 0;
}

/** Also where the reader of a pipe went away: a script that takes silence for success would have no key. */
function neverShown(cause: unknown): Failure {
  const why = cause instanceof Failure ? ` ${cause.message}` : '';
  return new Failure('storage', `The key could not be shown, so it was revoked at once.${why}`, {
    hint: 'Make another one where its output is read.',
    cause,
  });
}

/** Prints every key without the key itself. */
export async function runKeysList(context: Context, { json }: { json: boolean }): Promise<number> {
  const keys = await (await context.keys()).list();
  const { stdout } = context.terminal;
  if (json || !stdout.isTty) {
    await stdout.write(`${JSON.stringify(keys)}\n`);
    return 0;
  }
  if (keys.length === 0) context.note('There are no keys. Make one with: mailvet keys create --name NAME');
  else await stdout.write(renderKeys(keys, stdout));
  return 0;
}

/** Takes a key back; doing so twice is no harm. */
export async function runKeysRevoke(context: Context, { id, json }: { id: string; json: boolean }): Promise<number> {
  const key = await (await context.keys()).revoke(id);
  const { stdout } = context.terminal;
  if (json || !stdout.isTty) await stdout.write(`${JSON.stringify(key)}\n`);
  else context.note(`The key ${key.name} (${key.prefix}…) is refused from now on.`);
  return 0;
}

function renderKeys(keys: readonly ApiKey[], style: { color: boolean; columns: number }): string {
  const now = new Date().toISOString();
  const rows = keys.map((key) => [
    key.id,
    key.name,
    `${key.prefix}…`,
    key.plan,
    key.credits === null ? 'no limit' : count(key.credits),
    key.revoked_at !== null ? 'revoked' : (key.expires_at ?? '9') < now ? 'expired' : 'good',
    key.last_used_at ?? 'never',
  ]);
  return renderFittingGrid(['id', 'name', 'key', 'plan', 'credits', 'state', 'last used'], rows, style);
}
