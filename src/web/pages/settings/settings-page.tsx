import type { ComponentType } from 'preact';
import { Link, type PageProps } from '../../router.js';
import { useSession } from '../../session.js';
import { AuditSection } from './audit.js';
import { ForgetSection } from './forget-address.js';
import { MembersSection } from './members.js';
import { RetentionSection } from './retention.js';
import { WebhooksSection } from './webhooks.js';

interface Section {
  path: string;
  name: string;
  Content: ComponentType<{ query: URLSearchParams }>;
  isForMembers?: boolean;
}

const sections: readonly Section[] = [
  { path: 'members', name: 'Members', Content: MembersSection },
  { path: 'webhooks', name: 'Webhooks', Content: WebhooksSection, isForMembers: true },
  { path: 'retention', name: 'Retention', Content: RetentionSection },
  { path: 'forget', name: 'Forget an address', Content: ForgetSection },
  { path: 'audit', name: 'Audit log', Content: AuditSection },
];

/** What is done once a month. A member has webhooks of their own. */
export function SettingsPage({ id: section, query }: PageProps) {
  const { who } = useSession().session;
  const own = sections.filter(({ isForMembers = false }) => who.kind === 'admin' || isForMembers);
  const chosen = own.find(({ path }) => path === section) ?? own[0];
  if (chosen === undefined) return null;
  const { Content } = chosen;
  return (
    <>
      <nav class="sections" aria-label="Settings">
        {own.map(({ path, name }) => (
          <Link key={path} to={`/settings/${path}`} current={path === chosen.path}>
            {name}
          </Link>
        ))}
      </nav>
      <Content query={query} />
    </>
  );
}
