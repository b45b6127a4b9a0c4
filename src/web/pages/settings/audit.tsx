import { UntrustedText } from '../../../report/components/domain-name.js';
import type { Column } from '../../../report/components/panel.js';
import type { AuditView } from '../../../wire/app.js';
import { pathOf, routes } from '../../../wire/routes.js';
import { Search } from '../../parts/field.js';
import { PageHead } from '../../parts/page-head.js';
import { Pager } from '../../parts/pager.js';
import { Things } from '../../parts/things.js';
import { RelativeTime } from '../../parts/time.js';
import { navigate, skipIn, withQuery } from '../../router.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';

const limit = 50;

/** The audit log. Its search and page are in the URL. */
export function AuditSection({ query: urlQuery }: { query: URLSearchParams }) {
  const skip = skipIn(urlQuery);
  const search = urlQuery.get('search') ?? '';
  const found = search === '' ? {} : { search };
  const page = useAnswer(`audit ${skip} ${search}`, (signal) =>
    call('listAudit', { query: { skip, limit, ...found }, signal }),
  );
  const show = (text: string, newSkip: number): void =>
    navigate(withQuery('/settings/audit', { search: text, skip: newSkip }));
  return (
    <>
      <PageHead
        title="Audit log"
        description={`Sign-ins, downloads, and changes to keys, lists and members, newest first; kept for ${page.answer?.kept_days ?? 90} days.`}
      >
        <Search
          id="audit-search"
          label="User, action or subject"
          placeholder="User, action or subject"
          button="Filter"
          key={search}
          search={search}
          onSearch={(text) => show(text, 0)}
        />
        <a class="button plain" href={pathOf(routes.exportAudit, { query: found })} download>
          Export as CSV
        </a>
      </PageHead>
      <Things
        name="Audit log"
        remote={page}
        rowsOf={({ entries }) => entries}
        empty={[search === '' ? 'Nothing has been recorded yet.' : 'No entry matches.']}
        columns={columns}
        below={({ entries, total }) => (
          <Pager {...{ skip, limit, total }} rowCount={entries.length} onSkip={(newSkip) => show(search, newSkip)} />
        )}
      />
    </>
  );
}

const columns: Column<AuditView>[] = [
  { name: 'Time', class: 'tight', isBare: true, cell: ({ at }) => <RelativeTime at={at} /> },
  {
    ...{ name: 'User', class: 'breaks' },
    cell: ({ actor_name: name }) => (name === '' ? <span class="muted">unknown</span> : <UntrustedText text={name} />),
  },
  {
    name: 'Action',
    class: ({ action }) => (action === 'sign_in_failed' ? 'text-risky' : ''),
    cell: ({ action }) => actionTexts[action] ?? action.replaceAll('_', ' '),
  },
  { name: 'Subject', class: 'breaks', cell: ({ subject_name: subject }) => <UntrustedText text={subject} /> },
  { name: 'IP address', class: 'mono tight', cell: ({ address }) => address },
];

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
  list_deleted: 'deleted a list',
  list_downloaded: 'downloaded a list',
  list_checked_again: 'checked a list again',
  address_forgotten: 'deleted an address from all lists',
  retention_changed: 'changed how long lists are kept',
};
