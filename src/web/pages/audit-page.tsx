import { UntrustedText } from '../../report/components/domain-name.js';
import { Table } from '../../report/components/panel.js';
import type { AuditView } from '../../wire/app-members.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { RemoteContent } from '../parts/remote-content.js';
import { RelativeTime } from '../parts/time.js';
import { navigate } from '../router.js';
import { call } from '../server/call.js';
import { useAnswer } from '../server/use-answer.js';

const limit = 50;

/** The audit log. Its page number is in the URL. */
export function AuditPage({ query }: { query: URLSearchParams }) {
  const skip = Math.max(0, Number.parseInt(query.get('skip') ?? '0', 10) || 0);
  const page = useAnswer(`audit ${skip}`, (signal) => call('listAudit', { query: { skip, limit }, signal }));
  return (
    <RemoteContent remote={page}>
      {({ entries, total, kept_days: days }) => (
        <>
          <PageHead
            title="Audit log"
            description={`Sign-ins, and changes to keys, lists and members, newest first; kept for ${days} days.`}
          />
          <section class="panel" aria-label="Audit log">
            {entries.length === 0 ? (
              <p class="muted empty">Nothing has been recorded yet.</p>
            ) : (
              <Entries entries={entries} />
            )}
            {(total > limit || skip > 0) && (
              <Pager
                skip={skip}
                limit={limit}
                total={total}
                rowCount={entries.length}
                hasMore={skip + entries.length < total}
                names={['Newer', 'Older']}
                onSkip={(newSkip) => navigate(newSkip === 0 ? '/audit' : `/audit?skip=${newSkip}`)}
              />
            )}
          </section>
        </>
      )}
    </RemoteContent>
  );
}

function Entries({ entries }: { entries: readonly AuditView[] }) {
  return (
    <Table
      caption="Audit log"
      stacks
      head={
        <>
          <th>Time</th>
          <th>User</th>
          <th>Action</th>
          <th>Subject</th>
          <th>IP address</th>
        </>
      }
    >
      {entries.map((entry, index) => (
        <tr key={`${entry.at} ${index}`}>
          <td class="tight">
            <RelativeTime at={entry.at} />
          </td>
          <td class="breaks" data-label="User">
            {entry.actor_name === '' ? <span class="muted">unknown</span> : <UntrustedText text={entry.actor_name} />}
          </td>
          <td data-label="Action" class={entry.action === 'sign_in_failed' ? 'text-risky' : ''}>
            {actionTexts[entry.action] ?? entry.action.replaceAll('_', ' ')}
          </td>
          <td class="breaks" {...(entry.subject_name !== '' && { 'data-label': 'Subject' })}>
            <UntrustedText text={entry.subject_name} />
          </td>
          <td class="mono tight" data-label="IP address">
            {entry.address}
          </td>
        </tr>
      ))}
    </Table>
  );
}

const actionTexts: Partial<Record<string, string>> = {
  password_set: 'set the first password',
  password_changed: 'changed the password',
  signed_in: 'signed in',
  sign_in_failed: 'failed to sign in',
  session_ended: 'ended a session',
  invitation_accepted: 'accepted the invitation',
  member_invited: 'invited a member',
  member_renamed: 'renamed a member',
  member_made_administrator: 'made a member an administrator',
  member_made_member: 'made an administrator a member',
  member_removed: 'removed a member',
  key_created: 'created a key',
  key_changed: 'changed a key',
  key_revoked: 'revoked a key',
  webhook_created: 'created a webhook',
  webhook_deleted: 'deleted a webhook',
  webhook_secret_rotated: 'replaced the secret of a webhook',
  list_started: 'started a list',
  list_canceled: 'canceled a list',
  list_resumed: 'resumed a list',
  list_retried: 'retried the unknown rows of a list',
  list_deleted: 'deleted a list',
  address_forgotten: 'deleted an address from all lists',
  retention_changed: 'changed how long lists are kept',
};
