import { useState } from 'preact/hooks';
import { formatNumber } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { Table } from '../../../report/components/panel.js';
import type { AppKey, KeyState } from '../../../wire/app-server.js';
import { Button } from '../../parts/button.js';
import { Menu } from '../../parts/menu.js';
import { PageHead } from '../../parts/page-head.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';
import { AddCredits, ChangeExpiry, CreatedKeyPanel, NewKey, RenameKey, RevokeKey } from './key-dialogs.js';

type Question = { action: 'rename' | 'credits' | 'expiry' | 'revoke'; key: AppKey } | { action: 'new' } | null;

/** Creates, renames, tops up and revokes API keys. */
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
        description="Programs sign in with a key in the header X-API-Key. A key sees only its own lists."
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
      {question?.action === 'rename' && <RenameKey apiKey={question.key} onClose={close} onDone={done} />}
      {question?.action === 'credits' && <AddCredits apiKey={question.key} onClose={close} onDone={done} />}
      {question?.action === 'expiry' && <ChangeExpiry apiKey={question.key} onClose={close} onDone={done} />}
      {question?.action === 'revoke' && <RevokeKey apiKey={question.key} onClose={close} onDone={done} />}
    </>
  );
}

const states: Record<KeyState, { word: string; tone: string }> = {
  active: { word: 'active', tone: 'valid' },
  no_credits: { word: 'no credits', tone: 'risky' },
  expired: { word: 'expired', tone: 'risky' },
  revoked: { word: 'revoked', tone: 'unknown' },
};

function KeyTable({ keys, onAsk }: { keys: readonly AppKey[]; onAsk: (question: Question) => void }) {
  const isAdmin = useSession().session.who.kind === 'admin';
  return (
    <Table
      caption="API keys"
      stacks
      allowOverflow
      head={
        <>
          <th>Name</th>
          <th>Key</th>
          <th>Plan</th>
          <th class="number">Credits left</th>
          <th>Last used</th>
          <th>Created</th>
          <th>State</th>
          <th>
            <span class="visually-hidden">Change</span>
          </th>
        </>
      }
    >
      {keys.map((key) => (
        <tr key={key.id} class={key.state === 'revoked' ? 'muted' : ''}>
          <td class="breaks strong">
            <UntrustedText text={key.name} />
            {isAdmin && key.member !== null && (
              <span class="muted small plain">
                {' '}
                of <UntrustedText text={key.member} />
              </span>
            )}
          </td>
          <td class="mono tight">{key.prefix}…</td>
          <td class="breaks" data-label="Plan">
            <UntrustedText text={key.plan} />
          </td>
          <td class="number" data-label="Credits left">
            <Credits apiKey={key} />
          </td>
          <td class="tight" data-label="Last used">
            <RelativeTime at={key.last_used_at} />
          </td>
          <td class="tight" data-label="Created">
            <RelativeTime at={key.created_at} />
          </td>
          <td class="tight">
            <span class={`badge ${states[key.state].tone}`}>{states[key.state].word}</span>
            {key.expires_at !== null && key.state !== 'revoked' && (
              <span class="muted small">
                {' '}
                {key.state === 'expired' ? '' : 'expires '}
                <RelativeTime at={key.expires_at} />
              </span>
            )}
          </td>
          <td class="number">{key.state !== 'revoked' && <KeyMenu apiKey={key} onAsk={onAsk} />}</td>
        </tr>
      ))}
    </Table>
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

function KeyMenu({ apiKey: key, onAsk }: { apiKey: AppKey; onAsk: (question: Question) => void }) {
  const isAdmin = useSession().session.who.kind === 'admin';
  return (
    <Menu name={`Change ${key.name}`} label="⋯">
      <button type="button" onClick={() => onAsk({ action: 'rename', key })}>
        Rename…
      </button>
      {isAdmin && key.credits !== null && (
        <button type="button" onClick={() => onAsk({ action: 'credits', key })}>
          Add credits…
        </button>
      )}
      <button type="button" onClick={() => onAsk({ action: 'expiry', key })}>
        Change expiry…
      </button>
      <button type="button" class="text-invalid" onClick={() => onAsk({ action: 'revoke', key })}>
        Revoke…
      </button>
    </Menu>
  );
}
