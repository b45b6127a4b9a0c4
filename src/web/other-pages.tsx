import type { ComponentType } from 'preact';
import type { PagePath } from '../wire/app.js';
import { AccountPage } from './pages/account-page.js';
import { InterfacePage } from './pages/interface-page.js';
import { KeysPage } from './pages/keys/keys-page.js';
import { ListPage } from './pages/list/list-page.js';
import { SettingsPage } from './pages/settings/settings-page.js';
import { StatusPage } from './pages/status-page.js';
import { UsagePage } from './pages/usage-page.js';
import type { PageProps } from './router.js';

/** The pages that are seldom the first one. They are loaded together. */
const contents: Partial<Record<PagePath, ComponentType<PageProps>>> = {
  '/lists/{id}': ListPage,
  '/keys': KeysPage,
  '/interface': InterfacePage,
  '/usage': UsagePage,
  '/settings': SettingsPage,
  '/settings/{id}': SettingsPage,
  '/status': StatusPage,
  '/account': AccountPage,
};

export function OtherPage({ page, ...props }: PageProps & { page: PagePath }) {
  const Content = contents[page];
  return Content === undefined ? null : <Content {...props} />;
}
