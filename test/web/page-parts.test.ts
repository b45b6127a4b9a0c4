import { type FunctionComponent, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { Invitation } from '../../src/web/pages/invitation.js';
import { Downloads } from '../../src/web/pages/list/downloads.js';
import { ForgetResult } from '../../src/web/pages/settings/forget-address.js';
import { SignInPage } from '../../src/web/pages/sign-in.js';
import { creditChanges, updateSignals } from '../../src/web/server/call.js';
import type { AppJob, SignedInUser } from '../../src/wire/app.js';

function htmlOf<Props extends object>(part: FunctionComponent<Props>, props: Props): string {
  return renderToString(h(part as FunctionComponent<object>, props));
}

/** The text of a page part, without markup. */
function textOf<Props extends object>(part: FunctionComponent<Props>, props: Props): string {
  return htmlOf(part, props)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

describe('an invitation', () => {
  const invitation = { name: 'Ada', email: 'ada@python.org', expires_at: '2026-11-30T00:00:00Z' };
  const pageFor = (who: SignedInUser | null): string =>
    textOf(Invitation, { token: 't', invitation, who, onSession: () => {} });

  test.each<{ who: SignedInUser; name: string }>([
    { who: { kind: 'member', id: 'm', name: 'Bob', email: 'bob@python.org' }, name: 'Bob (bob@python.org)' },
    { who: { kind: 'admin', name: 'Admin' }, name: 'Admin' },
    { who: { kind: 'key', id: 'k', name: 'Shop', prefix: 'mv_', plan: 'self-hosted', credits: null }, name: 'Shop' },
  ])('for another user than $name asks before it ends the session', ({ who, name }) => {
    const page = pageFor(who);
    expect(page).toContain(`signed in as ${name}`);
    expect(page).toContain('ada@python.org');
    expect(page).toContain('Sign out and accept it');
    expect(page).toContain('Stay signed in');
    expect(page).not.toContain('Set password');
  });

  test.each<{ name: string; who: SignedInUser | null }>([
    { name: 'nobody is signed in', who: null },
    { name: 'the invited member is signed in', who: { kind: 'member', id: 'm', name: 'A', email: 'ada@python.org' } },
  ])('asks for a password if $name', ({ who }) => expect(pageFor(who)).toContain('Set password and sign in'));
});

test('a user whom a proxy names, and who is not a member, is asked for no password', () => {
  const pageFor = (proxy_user: string | null): string =>
    textOf(SignInPage, { view: { state: 'signed_out' as const, has_members: true, proxy_user }, onSignedIn: () => {} });
  expect(pageFor('bob@python.org')).toMatch(/You are not a member .*bob@python\.org/);
  expect(pageFor('bob@python.org')).not.toContain('Password');
  expect(pageFor(null)).toContain('Password');
});

describe('the result of Forget', () => {
  const report = { cached: 0, lists: 1, rows: 2, unfinished: [] };
  const owner = { kind: 'member', id: 'm', name: 'Bob' } as const;

  test('names the lists that have not ended', () => {
    const unfinished = [
      { id: 'one', filename: 'leads.csv', owner },
      { id: 'two', filename: 'old.csv', owner },
    ];
    const props = { report: { ...report, unfinished } };
    const text = textOf(ForgetResult, props);
    expect(text).toContain('These lists with it have not ended.');
    expect(text).toMatch(/leads\.csv by Bob .*old\.csv by Bob/);
    expect(htmlOf(ForgetResult, props)).toContain('href="/lists/one"');
  });

  test('names no list if all have ended', () => {
    expect(textOf(ForgetResult, { report })).toBe(' Deleted: 2 rows in 1 list. ');
  });
});

test('the page of a list says that Forget moved the row numbers', () => {
  const textWith = (forgotten_count: number): string =>
    textOf(Downloads, { job: { id: 'one', status: 'completed', total: 3, forgotten_count } as AppJob, stats: null });
  expect(textWith(1)).toContain('Rows are numbered without it, not as in the file that was uploaded.');
  expect(textWith(0)).not.toContain('numbered');
});

test.each([
  { status: 200, path: '/app/check', changes: true },
  { status: 200, path: '/api/v1/bulk/upload/confirm', changes: true },
  { status: 200, path: '/api/v1/bulk/jobs/one/resume', changes: true },
  { status: 200, path: '/app/jobs/one/check-again', changes: true },
  { status: 200, path: '/api/v1/bulk/jobs/one/cancel', changes: true },
  { status: 402, path: '/app/check', changes: true },
  { status: 503, path: '/app/check', changes: false },
  { status: 200, path: '/app/invitation/check', changes: false },
  { status: 200, path: '/app/session', changes: false },
])('$status of $path fetches the credits again: $changes', ({ status, path, changes }) => {
  const before = creditChanges.value();
  updateSignals(status, path);
  expect(creditChanges.value() > before).toBe(changes);
});
