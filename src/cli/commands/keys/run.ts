import { formatNumber } from '../../../model/amount.js';
import type { ApiKey } from '../../../model/api-key.js';
import { Failure } from '../../../model/failure.js';
import { shortId } from '../../../model/text/short-id.js';
import { renderAgo } from '../../../model/text/time.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { renderFittingGrid } from '../../render/style/grid.js';
import { printRecord, printRecords, showsTable } from '../../results/print-records.js';
import { confirmDeletion } from '../../terminal/confirm-deletion.js';

/** The flags of `keys create`. */
export type CreateFlags = FormatFlags & {
  name: string;
  plan: string;
  credits?: number;
  /** The lifetime in ms. */
  expires?: number;
  test?: boolean;
};

/** Creates a key and prints it. It is not stored in clear text, so it cannot be shown again. */
export async function runKeysCreate(context: Context, flags: CreateFlags): Promise<number> {
  const { name, plan, credits = null, expires, test: isTest = false } = flags;
  const keys = await context.keys();
  const expiresAt = expires === undefined ? null : Date.now() + expires;
  const { key, record } = await keys.create({ name, plan, credits, expiresAt, isTest });
  const { id, name: storedName, ...otherFields } = record;
  try {
    await printRecord(context, flags, { id, name: storedName, key, ...otherFields }, () => `${key}\n`);
  } catch (cause) {
    // Also after a closed pipe, which otherwise ends with status 0: a script would continue without a key.
    await keys.revoke(id);
    const reason = cause instanceof Failure ? ` ${cause.message}` : '';
    throw new Failure('storage', `The key could not be shown, so it was revoked at once.${reason}`, {
      hint: 'Create another one, and read the output of the command.',
      cause,
    });
  }
  if (showsTable(context, flags)) context.note(`Copy the key now: it is not shown again. Its id is ${id}.`);
  return 0;
}

/** Prints every key without the key itself. */
export async function runKeysList(context: Context, flags: FormatFlags): Promise<number> {
  const keys = await (await context.keys()).list();
  const screen = (): string => (keys.length === 0 ? '' : renderKeys(keys, context.terminal.stdout));
  await printRecords(context, flags, { rows: keys, document: { keys }, screen });
  if (keys.length === 0) context.note('There are no keys. Create one with: mailvet keys create --name NAME');
  return 0;
}

export type SetFlags = FormatFlags & {
  name?: string;
  credits?: number | 'none';
  /** The lifetime in ms. */
  expires?: number | 'never';
};

/** Changes a key that was not revoked. */
export async function runKeysSet(context: Context, id: string, flags: SetFlags): Promise<number> {
  const { name, credits, expires } = flags;
  if (name === undefined && credits === undefined && expires === undefined) {
    throw new Failure('usage', 'There is nothing to change.', { hint: 'Give --name, --credits or --expires.' });
  }
  const key = await (await context.keys()).change(id, {
    ...(name !== undefined && { name }),
    ...(credits !== undefined && { credits: credits === 'none' ? null : credits }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : Date.now() + expires }),
  });
  await printRecord(context, flags, key, () => renderKeys([key], context.terminal.stdout));
  return 0;
}

export type RevokeFlags = FormatFlags & { yes?: boolean };

/** Revokes a key; it may be revoked already. On a terminal it asks first. */
export async function runKeysRevoke(context: Context, id: string, flags: RevokeFlags): Promise<number> {
  const keys = await context.keys();
  const { id: fullId, name, prefix, revoked_at: wasRevokedAt } = await keys.find(id);
  const question = `Revoke the key ${name} (${prefix}…)? Its callers are refused at once.`;
  const asked = { question, yes: flags.yes, unchanged: 'Nothing was revoked.' };
  if (wasRevokedAt === null && !(await confirmDeletion(context, asked))) return 0;
  const key = await keys.revoke(fullId);
  await printRecord(context, flags, key, () => '');
  if (wasRevokedAt !== null) context.note(`The key ${key.name} (${key.prefix}…) had already been revoked.`);
  else if (showsTable(context, flags)) context.note(`Revoked the key ${key.name} (${key.prefix}…).`);
  return 0;
}

function renderKeys(keys: readonly ApiKey[], style: { color: boolean; columns: number }): string {
  const now = new Date().toISOString();
  const hasExpiry = keys.some(({ expires_at }) => expires_at !== null);
  const rows = keys.map((key) => [
    shortId(key.id),
    stateOf(key, now),
    `${key.prefix}…`,
    key.plan,
    key.credits === null ? 'no limit' : formatNumber(key.credits),
    key.last_used_at === null ? 'never' : renderAgo(Date.now() - Date.parse(key.last_used_at)),
    ...(hasExpiry ? [key.expires_at?.slice(0, 10) ?? 'never'] : []),
    key.name,
  ]);
  const headers = ['ID', 'STATE', 'KEY', 'PLAN', 'CREDITS', 'USED', ...(hasExpiry ? ['EXPIRES'] : []), 'NAME'];
  return renderFittingGrid(headers, rows, style);
}

function stateOf({ revoked_at, expires_at }: ApiKey, now: string): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at < now ? 'expired' : 'active';
}
