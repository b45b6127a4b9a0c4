import { useState } from 'preact/hooks';
import { formatNumber } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { Column } from '../../../report/components/panel.js';
import type { AppKey } from '../../../wire/app.js';
import { Button } from '../../parts/button.js';
import { PageHead } from '../../parts/page-head.js';
import { changeColumn, Things, useDialog } from '../../parts/things.js';
import { RelativeTime } from '../../parts/time.js';
import { Link } from '../../router.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';
import { CreatedKeyPanel, EditKey, NewKey, RevokeKey } from './key-dialogs.js';

/** Creates, changes and revokes API keys. */
export function KeysPage() {
  const list = useAnswer(
    'keys',
    (signal) => call('listKeys', { signal }),
    () => 15_000,
  );
  const isAdmin = useSession().session.who.kind === 'admin';
  const within = useDialog(list.refresh);
  const [createdKey, setCreatedKey] = useState<{ key: string; record: AppKey } | null>(null);
  const showKey = (created: { key: string; record: AppKey }): void => {
    setCreatedKey(created);
    within.done();
  };
  const change = changeColumn<AppKey>(
    ({ name }) => name,
    (key) =>
      key.state === 'revoked'
        ? []
        : [
            ['Edit…', () => within.open(<EditKey apiKey={key} within={within} />)],
            ['Revoke…', () => within.open(<RevokeKey apiKey={key} within={within} />), 'danger'],
          ],
  );
  return (
    <>
      <PageHead
        title="API keys"
        description={
          <>
            Programs sign in with a key in the header X-API-Key. A key sees only its own lists.{' '}
            <Link to="/interface">The requests they can make</Link>
          </>
        }
      >
        <Button kind="main" onClick={() => within.open(<NewKey onClose={within.close} onCreated={showKey} />)}>
          New key
        </Button>
      </PageHead>
      {createdKey !== null && <CreatedKeyPanel created={createdKey} onClose={() => setCreatedKey(null)} />}
      <Things
        name="API keys"
        remote={list}
        rowsOf={({ keys }) => keys}
        empty={[
          'There is no key yet.',
          'Create one for each program, so that you can revoke one without stopping the others.',
        ]}
        allowOverflow
        columns={[...columnsFor(isAdmin), change]}
        rowClass={({ state }) => (state === 'revoked' ? 'muted' : '')}
        keyOf={({ id }) => id}
      />
      {within.dialog}
    </>
  );
}

const states: Record<AppKey['state'], { word: string; tone: string }> = {
  active: { word: 'active', tone: 'valid' },
  no_credits: { word: 'no credits', tone: 'risky' },
  expired: { word: 'expired', tone: 'risky' },
  revoked: { word: 'revoked', tone: 'unknown' },
};

function columnsFor(isAdmin: boolean): Column<AppKey>[] {
  return [
    {
      ...{ name: 'Name', class: 'breaks strong', isBare: true },
      cell: ({ name, member }) => (
        <>
          <UntrustedText text={name} />
          {isAdmin && member !== null && (
            <span class="muted small plain">
              {' '}
              of <UntrustedText text={member} />
            </span>
          )}
        </>
      ),
    },
    { name: 'Key', class: 'mono tight', isBare: true, cell: ({ prefix }) => `${prefix}…` },
    { name: 'Plan', class: 'breaks', cell: ({ plan }) => <UntrustedText text={plan} /> },
    { name: 'Credits left', class: 'number', cell: (key) => <Credits apiKey={key} /> },
    { name: 'Last used', class: 'tight', cell: (key) => <RelativeTime at={key.last_used_at} /> },
    { name: 'Created', class: 'tight', cell: (key) => <RelativeTime at={key.created_at} /> },
    { name: 'State', class: 'tight', isBare: true, cell: (key) => <State apiKey={key} /> },
  ];
}

function State({ apiKey: { state, expires_at: expiresAt } }: { apiKey: AppKey }) {
  return (
    <>
      <span class={`badge ${states[state].tone}`}>{states[state].word}</span>
      {expiresAt !== null && state !== 'revoked' && (
        <span class="muted small">
          {' '}
          {state === 'expired' ? '' : 'expires '}
          <RelativeTime at={expiresAt} />
        </span>
      )}
    </>
  );
}

function Credits({ apiKey: { credits, granted, state } }: { apiKey: AppKey }) {
  if (state === 'revoked') return <>–</>;
  if (credits === null) return <span class="muted">no limit</span>;
  if (credits === 0) return <span class="text-risky">0 ▲</span>;
  return (
    <>
      {formatNumber(credits)}
      {granted !== null && granted > credits && <span class="muted"> of {formatNumber(granted)}</span>}
    </>
  );
}
