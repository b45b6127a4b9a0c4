import { useState } from 'preact/hooks';
import { formatNumber } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Table } from '../../../report/components/panel.js';
import type { AppKey } from '../../../wire/app.js';
import { Button } from '../../parts/button.js';
import { Menu } from '../../parts/menu.js';
import { PageHead } from '../../parts/page-head.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { MenuItem } from '../../parts/shown-once.js';
import { RelativeTime } from '../../parts/time.js';
import { Link } from '../../router.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';
import { CreatedKeyPanel, EditKey, NewKey, RevokeKey } from './key-dialogs.js';

type Question = { action: 'edit' | 'revoke'; key: AppKey } | { action: 'new' } | null;

/** Creates, changes and revokes API keys. */
export function KeysPage() {
  const list = useAnswer(
    'keys',
    (signal) => call('listKeys', { signal }),
    () => 15_000,
  );
  const [question, setQuestion] = useState<Question>(null);
  const [createdKey, setCreatedKey] = useState<{ key: string; record: AppKey } | null>(null);
  const close = (): void => setQuestion(null);
  const done = (): void => {
    close();
    list.refresh();
  };
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
        <Button kind="main" onClick={() => setQuestion({ action: 'new' })}>
          New key
        </Button>
      </PageHead>
      {createdKey !== null && <CreatedKeyPanel created={createdKey} onClose={() => setCreatedKey(null)} />}
      <RemoteContent remote={list}>
        {({ keys }) => (
          <section class="panel" aria-label="Keys">
            {keys.length === 0 ? (
              <div class="empty">
                <p>There is no key yet.</p>
                <p class="muted">
                  Create one for each program, so that you can revoke one without stopping the others.
                </p>
              </div>
            ) : (
              <KeyTable keys={keys} onAsk={setQuestion} />
            )}
          </section>
        )}
      </RemoteContent>
      {question?.action === 'new' && (
        <NewKey
          onClose={close}
          onCreated={(created) => {
            setCreatedKey(created);
            done();
          }}
        />
      )}
      {question?.action === 'edit' && <EditKey apiKey={question.key} onClose={close} onDone={done} />}
      {question?.action === 'revoke' && <RevokeKey apiKey={question.key} onClose={close} onDone={done} />}
    </>
  );
}

const states: Record<AppKey['state'], { word: string; tone: string }> = {
  active: { word: 'active', tone: 'valid' },
  no_credits: { word: 'no credits', tone: 'risky' },
  expired: { word: 'expired', tone: 'risky' },
  revoked: { word: 'revoked', tone: 'unknown' },
};

function KeyTable({ keys, onAsk }: { keys: readonly AppKey[]; onAsk: (question: Question) => void }) {
  const isAdmin = useSession().session.who.kind === 'admin';
  const columns: Column<AppKey>[] = [
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
    {
      ...{ name: 'Change', class: 'number', isHidden: true },
      cell: (key) =>
        key.state !== 'revoked' && (
          <Menu name={`Change ${key.name}`} label="⋯">
            <MenuItem onClick={() => onAsk({ action: 'edit', key })}>Edit…</MenuItem>
            <MenuItem danger onClick={() => onAsk({ action: 'revoke', key })}>
              Revoke…
            </MenuItem>
          </Menu>
        ),
    },
  ];
  const rowClass = ({ state }: AppKey): string => (state === 'revoked' ? 'muted' : '');
  return (
    <Table
      caption="API keys"
      stacks
      allowOverflow
      columns={columns}
      rows={keys}
      rowClass={rowClass}
      keyOf={({ id }) => id}
    />
  );
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
