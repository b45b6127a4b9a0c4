import { signOf } from '../../model/text/status-sign.js';
import { type Column, Table } from '../../report/components/panel.js';
import type { Finding, StatusView } from '../../wire/app.js';
import { Button } from '../parts/button.js';
import { PageHead } from '../parts/page-head.js';
import { ProblemNote, RemoteContent } from '../parts/remote-content.js';
import { RelativeTime } from '../parts/time.js';
import { call } from '../server/call.js';
import { useAction, useAnswer } from '../server/use-answer.js';

/** `mailvet doctor` as a page. */
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
      <RemoteContent remote={status}>{(view) => <Findings view={view} />}</RemoteContent>
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
  const columns: Column<Finding>[] = [
    {
      ...{ name: 'State', class: 'tight', isBare: true },
      cell: ({ state }) => (
        <span class={`badge ${asStatus[state]}`}>
          <span aria-hidden="true">{state === 'skipped' ? '–' : signOf(asStatus[state], true)} </span>
          {stateLabels[state]}
        </span>
      ),
    },
    { name: 'Check', class: 'strong tight', isRowHead: true, cell: ({ title }) => title },
    {
      ...{ name: 'Finding', class: 'breaks', isBare: true },
      cell: (finding) => (
        <>
          {messageOf(finding, complete)}
          {finding.hint !== null && finding.state !== 'ok' && <p class="muted">{finding.hint}</p>}
        </>
      ),
    },
  ];
  return (
    <section class="panel" aria-label="Findings">
      <Table
        caption="Checks"
        stacks
        hasHead={false}
        columns={columns}
        rows={findings}
        keyOf={({ name, subject }) => `${name} ${subject}`}
      />
    </section>
  );
}
