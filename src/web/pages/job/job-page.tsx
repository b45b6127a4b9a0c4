import { amount } from '../../../model/amount.js';
import { Foreign } from '../../../report/components/foreign.js';
import { Places } from '../../../report/components/places.js';
import { Reasons } from '../../../report/components/reasons.js';
import type { AppJob, JobFigures, PlaceCount } from '../../../wire/app-jobs.js';
import { isLive, jobName } from '../../parts/job-words.js';
import { PageHead } from '../../parts/page-head.js';
import { Ago } from '../../parts/time.js';
import { Waiting } from '../../parts/waiting.js';
import { call } from '../../server/call.js';
import { type Remote, useAnswer } from '../../server/use-answer.js';
import { Downloads } from './downloads.js';
import { JobActions } from './job-actions.js';
import { ProgressPanel } from './progress-panel.js';
import { RowsPanel } from './rows-panel.js';

const liveMs = 1_000;
const figuresMs = 5_000;

/** One job: progress, charts, rows and downloads. */
export function JobPage({ id }: { id: string }) {
  const job = useAnswer(
    `job ${id}`,
    (signal) => call('getJob', { id, signal }),
    (answer) => (isLive(answer) ? liveMs : null),
  );
  return <Waiting of={job}>{(answer) => <JobView job={answer} onChange={job.take} onAgain={job.again} />}</Waiting>;
}

function JobView({ job, ...actions }: Parameters<typeof JobActions>[0]) {
  const live = isLive(job);
  const figures = useAnswer(
    `figures ${job.id} ${live}`,
    (signal) => call('jobFigures', { id: job.id, signal }),
    () => (live ? figuresMs : null),
  );
  return (
    <>
      <PageHead title={jobName(job)} about={<About job={job} />}>
        <JobActions job={job} {...actions} />
      </PageHead>
      <ProgressPanel job={job} />
      <Charts figures={figures} />
      <RowsPanel job={job} />
      <Downloads job={job} counts={figures.answer?.parts ?? null} />
    </>
  );
}

function About({ job }: { job: AppJob }) {
  const { total, email_column: column, owner, started_at: started, created_at: created } = job;
  return (
    <>
      {amount(total ?? 0, 'row')}
      {column !== undefined && (
        <>
          {' · addresses in “'}
          <Foreign text={column} />”
        </>
      )}
      {' · '}
      {started == null ? 'created ' : 'started '}
      <Ago at={started ?? created} never="at an unknown time" />
      {' by '}
      <Foreign text={owner.name} />
    </>
  );
}

function Charts({ figures }: { figures: Remote<JobFigures> }) {
  return (
    <Waiting of={figures}>
      {({ reasons, domains, providers }) => (
        <>
          <div class="side-by-side">
            <Reasons reasons={reasons} />
            <Places title="Where" kind="Domain" {...placesOf(domains)} empty="No domain is known yet." />
          </div>
          {providers.top.length > 0 && (
            <Places
              title="Who runs the mail"
              kind="Provider"
              {...placesOf(providers)}
              empty="No provider is known yet."
            />
          )}
        </>
      )}
    </Waiting>
  );
}

function placesOf({ top, others }: JobFigures['domains']) {
  const countsOf = ({ valid, risky, invalid, unknown }: PlaceCount) => ({ valid, risky, invalid, unknown });
  return {
    places: top.slice(0, 8).map((place) => ({ name: place.name, rows: place.rows, counts: countsOf(place) })),
    others: top.slice(8).reduce(
      (sum, place) => ({
        rows: sum.rows + place.rows,
        names: sum.names + 1,
        counts: {
          valid: sum.counts.valid + place.valid,
          risky: sum.counts.risky + place.risky,
          invalid: sum.counts.invalid + place.invalid,
          unknown: sum.counts.unknown + place.unknown,
        },
      }),
      { rows: others.rows, names: others.names, counts: countsOf(others) },
    ),
  };
}
