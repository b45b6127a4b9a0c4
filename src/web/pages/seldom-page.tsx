import { PageHead } from '../parts/page-head.js';
import { Link } from '../router.js';
import { AccountPage } from './account-page.js';
import { InterfacePage } from './interface-page.js';
import { KeysPage } from './keys/keys-page.js';
import { SettingsPage } from './settings/settings-page.js';
import { StatusPage } from './status-page.js';
import { UsagePage } from './usage-page.js';

/** The pages that are seldom the first one. They are loaded together. */
export function SeldomPage({ path, query }: { path: string; query: URLSearchParams }) {
  const section = /^\/settings(?:\/([a-z]+))?$/.exec(path);
  if (section !== null) return <SettingsPage section={section[1] ?? ''} query={query} />;
  switch (path) {
    case '/keys':
      return <KeysPage />;
    case '/interface':
      return <InterfacePage />;
    case '/account':
      return <AccountPage />;
    case '/usage':
      return <UsagePage />;
    case '/status':
      return <StatusPage />;
    default:
      return <PageHead title="Page not found" description={<Link to="/">Check an address</Link>} />;
  }
}
