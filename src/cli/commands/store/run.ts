import { formatAmount } from '../../../model/amount.js';
import { exitStatuses, Failure } from '../../../model/failure.js';
import { describeJobs } from '../../../model/store-report.js';
import { checkStore, copyToDatabase, migrateStore } from '../../../service/local/store-tools.js';
import { readStoreAddress } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { hang } from '../../render/style/text-layout.js';
import { printRecord } from '../../results/print-records.js';

/** The commands by their names. Each returns its exit status. */
export const storeCommands = { migrate, check, copy };

async function migrate(context: Context, flags: FormatFlags): Promise<number> {
  const { name, from, to } = await migrateStore(requireAddress(context));
  const change = from === 0 ? 'was created' : 'is up to date';
  await show(context, flags, { name, from, to }, `The store in ${name} ${change} (version ${to}).`);
  return 0;
}

async function check(context: Context, flags: FormatFlags): Promise<number> {
  const { dataDir, store } = context.settings();
  const report = await checkStore(dataDir, readStoreAddress(store));
  const { name, write_ms, keys, damage } = report;
  const facts = `${describeJobs(report)}, ${formatAmount(keys, 'key')}, a write takes ${write_ms} ms`;
  const finding = damage.length === 0 ? 'can be used' : 'responds, but is damaged';
  await show(context, flags, report, `The store in ${name} ${finding} (${facts}).`);
  for (const text of damage) context.warn(`Damage: ${text}.`);
  return damage.length === 0 ? 0 : exitStatuses.storage;
}

async function copy(context: Context, flags: FormatFlags): Promise<number> {
  const address = requireAddress(context);
  const report = await copyToDatabase(context.settings().dataDir, address);
  const { name, rows, files } = report;
  const copied = [
    formatAmount(rows['jobs'] ?? 0, 'job'),
    formatAmount(rows['keys'] ?? 0, 'key'),
    formatAmount(files, 'file'),
  ].join(', ');
  await show(context, flags, report, `Copied to ${name} and verified: ${copied}.`);
  context.note(
    'The data directory is unchanged. Use the database from now on: set MAILVET_STORE or the setting store.',
  );
  return 0;
}

function requireAddress(context: Context): string {
  const address = readStoreAddress(context.settings().store);
  if (address !== null) return address;
  throw new Failure('usage', 'The address of the database is missing.', {
    hint: 'Give its address with --store, MAILVET_STORE or: mailvet config set store @FILE',
  });
}

function show(context: Context, flags: FormatFlags, report: object, sentence: string): Promise<void> {
  return printRecord(context, flags, report, () => hang('', 0, sentence, context.terminal.stdout.columns));
}
