import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { ForgetReport } from '../../../model/job.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { hang } from '../../render/style/text-layout.js';
import { printRecord } from '../../results/print-records.js';
import { confirmDeletion } from '../../terminal/confirm-deletion.js';

export type ForgetFlags = FormatFlags & { yes?: boolean };

/** Deletes an address from this machine. On a terminal it asks first; elsewhere it needs --yes. */
export async function runForget(context: Context, address: string, flags: ForgetFlags): Promise<number> {
  const { yes } = flags;
  if (!/^[^@]+@[^@]+$|^".*"@[^@]+$/.test(address.trim())) {
    throw new Failure('usage', `${JSON.stringify(address)} is not an email address.`, {
      hint: 'Give one address: mailvet forget ann@example.com',
    });
  }
  const question = `Delete ${address.trim()} from all stored lists?`;
  if (!(await confirmDeletion(context, { question, yes, needed: 'Deleting an address' }))) return 0;
  const { report, ownList } = await forget(context, address.trim());
  await printRecord(context, flags, report, () => hang('', 0, describe(report), context.terminal.stdout.columns));
  if (context.settings().mode === 'remote') {
    context.note('The address was deleted on this machine only; the remote service may still have it.');
  }
  if (report.unfinished.length === 0) return 0;
  throw new Failure(
    'conflict',
    `${formatAmount(report.unfinished.length, 'list')} with the address ${report.unfinished.length === 1 ? 'has' : 'have'} not ended.`,
    {
      hint:
        ownList === null
          ? 'It belongs to a key or a member of the service. Run the command again when it has ended, or cancel it there.'
          : `Run the command again later, or stop the list first: ${context.command('jobs', 'cancel', ownList)}`,
    },
  );
}

/** Also returns an unfinished list of the command line, which can be canceled here. */
async function forget(context: Context, address: string): Promise<{ report: ForgetReport; ownList: string | null }> {
  const service = await context.openService({ ...context.settings(), mode: 'local' });
  try {
    if (service.jobs === undefined) throw new Failure('unsupported', 'This back end has no stored lists.');
    const report = await service.jobs.forget(address);
    for (const id of report.unfinished) {
      const isOwn = await service.getJob(id).then(
        () => true,
        () => false,
      );
      if (isOwn) return { report, ownList: id };
    }
    return { report, ownList: null };
  } finally {
    await service.close();
  }
}

function describe({ cached, lists, rows, unfinished }: ForgetReport): string {
  if (cached + lists + rows === 0) {
    return unfinished.length > 0 ? 'Nothing was deleted yet.' : 'No list that has ended contains the address.';
  }
  return `Deleted: ${formatAmount(rows, 'row')} in ${formatAmount(lists, 'list')}, ${formatAmount(cached, 'cached verdict')}.${rows === 0 ? '' : ' The counts of jobs stay.'}`;
}
