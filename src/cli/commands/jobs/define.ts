import { type Command, Option } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import {
  addFormatFlags,
  addGroupExamples,
  addServiceFlags,
  jobRowFlags,
  parseCount,
  type RawFlags,
} from '../../flags/flags.js';
import { addResultFlags, readResultFlags } from '../../flags/list-flags.js';
import { type FormatFlags, readOutputFlags } from '../../flags/output-flags.js';
import type { DeleteFlags, GetFlags, ResumeFlags } from './run.js';
import type { ListFlags, ListState } from './run-list.js';

const jobStates: readonly ListState[] = ['queued', 'running', 'interrupted', 'completed', 'failed', 'canceled'];

/** `jobs list|get|results|cancel|resume|delete`: the jobs of uploads. */
export function defineJobs(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const runList = lazyLaunch(launch, () => import('./run-list.js'));
  const jobs = program
    .command('jobs')
    .summary('list, follow, fetch and stop jobs')
    .description(
      'Shows jobs and their results. ID is any unambiguous prefix of an id, or latest. A very long list becomes several parts, which share one id; at a service each has its own, and commas join them: ID,ID.',
    );
  const define = (name: string, summary: string, description: string): Command =>
    addServiceFlags(addFormatFlags(jobs.command(name).summary(summary).description(description)));

  define('list', 'jobs, newest first', 'Lists jobs, newest first.')
    .option('--skip <n>', 'skip this many of the newest', parseCount(0), 0)
    .option('--limit <n>', 'how many', parseCount(1), 10)
    .addOption(new Option('--status <state>', 'only jobs in this state (local only)').choices([...jobStates]))
    .action((flags: ListFlags) => runList(flags, (context, { runJobsList }) => runJobsList(context, flags)));
  define('get <id>', 'one job: counts, rate, time left, reasons', 'Shows one job: counts, rate, time left and reasons.')
    .option('-w, --watch', 'follow it until it has ended')
    .action((id: string, flags: GetFlags) =>
      run(flags, (context, commands) => commands.runJobsGet(context, id, flags)),
    );
  define(
    'cancel <id>',
    'stop a job that has not ended',
    'Stops a job that has not ended. What is done is kept.',
  ).action((id: string, flags: FormatFlags) =>
    run(flags, (context, commands) => commands.runJobsCancel(context, id, flags)),
  );
  define('resume <id>', 'continue a job that was stopped', 'Continues a job that was stopped.')
    .option('--wait', 'wait until it is done; without a service, run it here')
    .action((id: string, flags: ResumeFlags) =>
      run(flags, (context, commands) => commands.runJobsResume(context, id, flags)),
    );
  define('delete <id>', 'delete a job that has ended', 'Deletes a job that has ended, with its file and results.')
    .option('-y, --yes', 'do not ask; needed without a terminal')
    .action((id: string, flags: DeleteFlags) =>
      run(flags, (context, commands) => commands.runJobsDelete(context, id, flags)),
    );
  const results = jobs
    .command('results <id>')
    .summary('every row of the input, with its verdict')
    .description('Prints every row of the input in order, with its verdict; also while the job runs.');
  addServiceFlags(addResultFlags(results, jobRowFlags)).action((id: string, flags: RawFlags) =>
    run(flags, async (context, { runJobsResults }) => {
      const output = await readOutputFlags(flags, 'job');
      return runJobsResults(context, id, { output, ...(await readResultFlags(flags)) });
    }),
  );
  addServiceFlags(jobs.command('work <id>', { hidden: true })).action((id: string, flags: RawFlags) =>
    run(flags, (context, commands) => commands.runJobsWork(context, id)),
  );
  addGroupExamples(jobs, [
    ['mailvet jobs list', 'the newest ten'],
    ['mailvet jobs get latest --watch', 'follow one'],
    ['mailvet jobs results latest -o vetted.csv', 'every column, plus the verdicts'],
    ['mailvet jobs results latest --clean', 'sorted into three files'],
    ['mailvet jobs results latest --format ndjson --fields email,status', 'two fields of each row, for a pipe'],
    ['mailvet jobs resume latest --wait', 'here, with its progress'],
    ['mailvet jobs cancel latest', 'stop the newest; what is done is kept'],
    ['mailvet jobs delete latest --yes', 'the newest, with its file and results'],
  ]);
}
