import type { ComponentChildren } from 'preact';
import { formatAmount, formatNumber } from '../../model/amount.js';
import { signOf } from '../../model/text/status-sign.js';
import { Panel, Table } from '../../report/components/panel.js';
import type { BlockView, Finding, StatusView, WorkerView } from '../../wire/app-server.js';
import { Button } from '../parts/button.js';
import { PageHead } from '../parts/page-head.js';
import { ProblemNote, RemoteContent } from '../parts/remote-content.js';
import { RelativeTime } from '../parts/time.js';
import { call } from '../server/call.js';
import { useAction, useAnswer } from '../server/use-answer.js';

/** `mailvet doctor` as a page, with the workers. */
export function StatusPage() {
  const status = useAnswer(
    'status',
    (signal) => call('status', { signal }),
    () => 15_000,
  );
  const runChecks = useAction(async (signal) => status.setAnswer(await call('runAllChecks', { signal })));
  return (
    <>
      <PageHead
        title="Status"
        description={
          status.answer === null ? 'What this server needs, and what it is doing.' : <CheckedAt view={status.answer} />
        }
      >
        <Button busy={runChecks.busy} onClick={() => void runChecks.start()}>
          {runChecks.busy ? 'Checking…' : 'Run all checks'}
        </Button>
      </PageHead>
      <ProblemNote problem={runChecks.problem} />
      <RemoteContent remote={status}>
        {(view) => (
          <>
            <Findings view={view} />
            <div class="side-by-side">
              <ServerPanel view={view} />
              <WorkPanel view={view} />
            </div>
            {view.workers.some(({ cluster }) => cluster !== null) && <Processes workers={view.workers} />}
            {view.blocks.length > 0 && <Blocks blocks={view.blocks} />}
          </>
        )}
      </RemoteContent>
    </>
  );
}

function CheckedAt({ view: { looked_at: at, complete } }: { view: StatusView }) {
  return (
    <>
      Checked <RelativeTime at={at} />
      {!complete && '. No mail server was contacted'}.
    </>
  );
}

const stateLabels = { ok: 'fine', warn: 'needs attention', fail: 'broken', skipped: 'not checked' };
const asStatus = { ok: 'valid', warn: 'risky', fail: 'invalid', skipped: 'skipped' };

/** Opening the page contacts no mail server, so the check of port 25 may not have run yet. */
function messageOf({ name, state, message }: Finding, complete: boolean): string {
  const isUnchecked = name === 'smtp_port' && state === 'skipped' && !complete;
  return isUnchecked ? 'Not checked yet. “Run all checks” contacts a mail server.' : message;
}

function Findings({ view: { findings, complete } }: { view: StatusView }) {
  return (
    <section class="panel" aria-label="Findings">
      <Table caption="Checks" stacks>
        {findings.map((finding) => (
          <FindingRow key={`${finding.name} ${finding.subject}`} finding={finding} complete={complete} />
        ))}
      </Table>
    </section>
  );
}

function FindingRow({ finding, complete }: { finding: Finding; complete: boolean }) {
  const { title, state, hint } = finding;
  return (
    <tr>
      <td class="tight">
        <span class={`badge ${asStatus[state]}`}>
          <span aria-hidden="true">{state === 'skipped' ? '–' : signOf(asStatus[state], true)} </span>
          {stateLabels[state]}
        </span>
      </td>
      <th scope="row" class="strong tight">
        {title}
      </th>
      <td class="breaks">
        {messageOf(finding, complete)}
        {hint !== null && state !== 'ok' && <p class="muted">{hint}</p>}
      </td>
    </tr>
  );
}

function ServerPanel({ view: { server } }: { view: StatusView }) {
  return (
    <Panel title="Server">
      <dl class="facts one">
        <Fact name="Version">{server.version}</Fact>
        <Fact name="Level">{server.level}</Fact>
        <Fact name="Store">{server.store}</Fact>
        <Fact name="Started">
          <RelativeTime at={server.started_at} />
        </Fact>
      </dl>
    </Panel>
  );
}

function WorkPanel({ view: { jobs, workers } }: { view: StatusView }) {
  const busyWorkers = workers.filter((worker) => worker.jobs > 0);
  return (
    <Panel title="Work">
      <dl class="facts one">
        {Object.entries(jobs).map(([state, number]) => (
          <Fact key={state} name={`Jobs ${state}`}>
            {formatNumber(number)}
          </Fact>
        ))}
        <Fact name="Busy workers">
          {busyWorkers.length === 0 ? (
            <span class="muted">none</span>
          ) : (
            busyWorkers.map(({ name, jobs: jobCount }) => `${name} (${formatAmount(jobCount, 'job')})`).join(', ')
          )}
        </Fact>
      </dl>
    </Panel>
  );
}

const kindNames = { worker: 'worker', node: 'server', command: 'command line' };

/** All processes that share the store. */
function Processes({ workers }: { workers: readonly WorkerView[] }) {
  return (
    <Panel title="Processes">
      <Table
        caption="Processes that share the store"
        stacks
        head={['Name', 'Kind', 'Outbound address', 'Last seen', 'Jobs', 'Mail servers', 'Mailboxes'].map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      >
        {workers.map(
          ({ name, jobs, cluster }) =>
            cluster !== null && (
              <tr key={name}>
                <th scope="row" class="strong breaks">
                  {name}
                </th>
                <td>{kindNames[cluster.kind]}</td>
                <td class="breaks">{cluster.source_ip ?? <span class="muted">any</span>}</td>
                <td>
                  {!cluster.alive && <span class="badge invalid">silent</span>} <RelativeTime at={cluster.seen_at} />
                </td>
                <td>{formatNumber(jobs)}</td>
                <td>{formatNumber(cluster.lanes)}</td>
                <td>{formatNumber(cluster.probes)}</td>
              </tr>
            ),
        )}
      </Table>
    </Panel>
  );
}

/** Workers that mail servers refuse; others take over meanwhile. */
function Blocks({ blocks }: { blocks: readonly BlockView[] }) {
  return (
    <Panel title="Refused">
      <Table caption="Workers that mail servers refuse" stacks>
        {blocks.map(({ worker, party, until, reply }) => (
          <tr key={`${worker} ${party}`}>
            <th scope="row" class="strong breaks">
              {worker}
            </th>
            <td class="breaks">{party}</td>
            <td>
              retried <RelativeTime at={until} />
            </td>
            <td class="breaks muted">{reply}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="breaks">{children}</dd>
    </div>
  );
}
