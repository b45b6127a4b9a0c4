import { type Command, Option } from 'commander';
import type { Launch } from '../../context.js';
import {
  addBackEndFlags,
  addCommonFlags,
  addGroupExamples,
  addOutputFlags,
  addSettingFlags,
  type Example,
} from '../../flags/flags.js';
import { addGuardFlags, readGuardFlags } from '../../flags/guard-flags.js';
import { addRawFlag } from '../../flags/list-flags.js';
import { readJobOutput } from '../../flags/output-flags.js';
import { parseAge, parseCount } from '../../flags/parse-values.js';
import type { RawFlags } from '../../flags/read-common-flags.js';
import { addReviewFlags, readReviewFlags } from '../../flags/review-flags.js';

/** `jobs list|get|results|cancel|resume|prune`: what became of uploads. */
export function defineJobs(program: Command, launch: Launch): void {
  const jobs = program
    .command('jobs')
    .summary('list, follow, fetch and stop jobs')
    .description(
      'Looks at jobs and their results. ID is any unambiguous beginning of an id, or latest. A very long list becomes several parts, which share one id.',
    );
  const define = (name: string, about: string): Command => {
    const command = jobs.command(name).description(about).option('--json', 'as JSON');
    addSettingFlags(command, ['store', 'timeoutMs']);
    addBackEndFlags(command);
    return addCommonFlags(command);
  };

  define('list', 'jobs, newest first')
    .option('--skip <n>', 'skip this many of the newest', parseCount(0), 0)
    .option('--limit <n>', 'how many', parseCount(1), 10)
    .addOption(new Option('--status <state>', 'only jobs in this state').choices(states))
    .action((flags: RawFlags) =>
      launch(flags, async (context) =>
        (await load()).runJobsList(context, {
          skip: flags['skip'] as number,
          limit: flags['limit'] as number,
          status: flags['status'] as (typeof states)[number] | undefined,
          json: flags['json'] === true,
        }),
      ),
    );
  define('get <id>', 'one job: counts, rate, time left, reasons')
    .option('-w, --watch', 'follow it until it has ended')
    .action((id: string, flags: RawFlags) =>
      launch(flags, async (context) =>
        (await load()).runJobsGet(context, { id, watch: flags['watch'] === true, json: flags['json'] === true }),
      ),
    );
  define('cancel <id>', 'stop a job that has not ended; what is done is kept').action((id: string, flags: RawFlags) =>
    launch(flags, async (context) => (await load()).runJobsCancel(context, { id, json: flags['json'] === true })),
  );
  define('resume <id>', 'go on with a job that was stopped')
    .option('--wait', 'run it here until it is done')
    .option('--only-unknown', 'ask again for the unknown rows of a job that is done')
    .action((id: string, flags: RawFlags) =>
      launch(flags, async (context) =>
        (await load()).runJobsResume(context, {
          id,
          wait: flags['wait'] === true,
          onlyUnknown: flags['onlyUnknown'] === true,
          json: flags['json'] === true,
        }),
      ),
    );
  define('prune', 'delete jobs that have ended, with their files and results')
    .requiredOption('--older-than <time>', 'only jobs that ended longer ago than this, e.g. 30d', parseAge)
    .action((flags: RawFlags) =>
      launch(flags, async (context) =>
        (await load()).runJobsPrune(context, {
          olderThanMs: flags['olderThan'] as number,
          json: flags['json'] === true,
        }),
      ),
    );
  defineResults(jobs, launch);
  addCommonFlags(addBackEndFlags(jobs.command('work <id>', { hidden: true }))).action((id: string, flags: RawFlags) =>
    launch(flags, async (context) => (await load()).runJobsWork(context, { id })),
  );
  addGroupExamples(jobs, jobExamples);
}

function defineResults(jobs: Command, launch: Launch): void {
  const command = jobs
    .command('results <id>')
    .description('every row of the input in order, with its verdict; also while the job runs')
    .option('--rejects <file>', 'write the rows that --only leaves out to this file');
  addRawFlag(command);
  addReviewFlags(command);
  addGuardFlags(command);
  addOutputFlags(command);
  addSettingFlags(command, ['store', 'timeoutMs']);
  addBackEndFlags(command);
  addCommonFlags(command).action((id: string, flags: RawFlags) =>
    launch(flags, async (context) => {
      const output = await readJobOutput(flags);
      const guards = await readGuardFlags(flags);
      const review = readReviewFlags(flags);
      return (await load()).runJobsResults(context, { id, output, guards, review, raw: flags['raw'] === true });
    }),
  );
}

const states = ['queued', 'running', 'completed', 'failed', 'canceled'] as const;

const jobExamples: readonly Example[] = [
  ['mailvet jobs list', 'the newest ten'],
  ['mailvet jobs get latest --watch', 'follow one'],
  ['mailvet jobs results latest -o vetted.csv', 'every column, plus the verdicts'],
  ['mailvet jobs results latest -o clean.csv --only valid --rejects bad.csv', 'sorted'],
  ['mailvet jobs resume latest --only-unknown --wait', 'ask again where nobody answered'],
  ['mailvet jobs cancel latest', 'stop the newest; what is done is kept'],
  ['mailvet jobs prune --older-than 90d', 'tidy up'],
];

function load(): Promise<typeof import('./run.js')> {
  return import('./run.js');
}
