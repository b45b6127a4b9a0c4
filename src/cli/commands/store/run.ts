import { amount } from '../../../model/amount.js';
import { exitStatuses, Failure } from '../../../model/failure.js';
import { checkStore, copyToDatabase, migrateStore } from '../../../service/local/store-tools.js';
import { readStoreAddress } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';

interface StoreFlags {
  json: boolean;
}

/** Makes the tables, or brings them up to date; doing so twice is no harm. */
export async function runStoreMigrate(context: Context, { json }: StoreFlags): Promise<number> {
  const { name, from, to } = await migrateStore(requireAddress(context));
  const done = from === 0 ? 'was made' : from === to ? 'is up to date' : `was brought from version ${from} to ${to}`;
  await show(context, json, { name, from, to }, `The store in ${name} ${done} (version ${to}).`);
  return 0;
}

/** Tells whether the store can be used. */
export async function runStoreCheck(context: Context, { json }: StoreFlags): Promise<number> {
  const { dataDir, store } = context.settings();
  const report = await checkStore(dataDir, readStoreAddress(store));
  const { name, write_ms, jobs, keys, damage } = report;
  const found = `${amount(jobs, 'job')}, ${amount(keys, 'key')}, a write takes ${write_ms} ms`;
  await show(context, json, { ...report }, `The store in ${name} can be used (${found}).`);
  for (const text of damage) context.warn(`The store is damaged: ${text}.`);
  return damage.length === 0 ? 0 : exitStatuses.storage;
}

/** Copies what the data directory holds. */
export async function runStoreCopy(context: Context, { json }: StoreFlags): Promise<number> {
  const address = requireAddress(context);
  const report = await copyToDatabase(context.settings().dataDir, address);
  const { name, rows, files } = report;
  const copied = [amount(rows['jobs'] ?? 0, 'job'), amount(rows['keys'] ?? 0, 'key'), amount(files, 'file')].join(', ');
  await show(context, json, { ...report }, `Copied to ${name} and counted there: ${copied}.`);
  context.note(
    'The data directory is as it was. Use the database from now on: set MAILVET_STORE or the setting store.',
  );
  return 0;
}

function requireAddress(context: Context): string {
  const address = readStoreAddress(context.settings().store);
  if (address !== null) return address;
  throw new Failure('usage', 'Which database is meant is not known.', {
    hint: 'Give its address with --store, MAILVET_STORE or: mailvet config set store @FILE',
  });
}

async function show(
  { terminal: { stdout } }: Context,
  json: boolean,
  report: Record<string, unknown>,
  sentence: string,
): Promise<void> {
  await stdout.write(json || !stdout.isTty ? `${JSON.stringify(report)}\n` : `${sentence}\n`);
}
