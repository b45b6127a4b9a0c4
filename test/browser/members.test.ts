import { expect, test } from 'vitest';
import { expectAccessible, useBrowser, useServing } from './open-browser.js';
import { acceptInvitation, chooseList, createKey, invite, open, press } from './steps.js';

const lab = useBrowser();
const serving = useServing();

const ownPassword = 'the password of Ada';

test('a member is invited, joins, has their own keys and lists, and is removed; the audit log records it', async () => {
  const { page: otherUser } = await lab.signedIn(serving, '/');
  const { page: admin } = await lab.signedIn(serving, '/settings/members');
  await admin.getByText('There is no member yet.').waitFor();
  await expectAccessible(admin);
  await press(admin, 'Invite a member');
  await expectAccessible(admin);
  await press(admin, 'Cancel');
  const link = await invite(admin, 'Ada', 'Ada@Python.org');
  await expectAccessible(admin);
  await admin.reload();
  await admin.getByText('ada@python.org').waitFor();
  expect(await admin.content()).not.toContain(link.split('#')[1]);

  await otherUser.goto(link);
  await otherUser.getByText('signed in as Admin').waitFor();
  await expectAccessible(otherUser);
  await press(otherUser, 'Stay signed in');
  await otherUser.getByRole('heading', { name: 'Check an address' }).waitFor();
  await otherUser.goto(link);
  await press(otherUser, 'Sign out and accept it');
  await otherUser.getByRole('heading', { name: 'Welcome, Ada' }).waitFor();

  const { page: ada } = await lab.open(link);
  await ada.getByRole('heading', { name: 'Welcome, Ada' }).waitFor();
  await expectAccessible(ada);
  await acceptInvitation(ada, ownPassword, 'something else');
  await ada.getByText('The passwords do not match.').waitFor();
  await acceptInvitation(ada, ownPassword);
  await ada.getByRole('heading', { name: 'Check an address' }).waitFor();
  expect(ada.url()).toBe(`${serving.root}/`);
  expect(await ada.getByRole('link', { name: 'Status' }).count()).toBe(0);

  await open(ada, 'API keys');
  await createKey(ada, { Name: 'from Ada' });
  await ada.getByLabel('Change from Ada').click();
  await press(ada, 'Edit…');
  expect(await ada.getByLabel('Credits').count()).toBe(0);
  await press(ada, 'Cancel');
  await open(ada, 'Lists');
  await chooseList(ada, 'ada.csv', 'email\nx@python.org\n');
  await press(ada, 'Check 1 address');
  await ada.getByText('1 of 1 row answered').waitFor();

  const { page: second } = await lab.open(link);
  lab.allow(/401/);
  await second.getByText('This invitation is no longer valid.').waitFor();
  await expectAccessible(second);
  await press(second, 'Sign in instead');
  await second.getByLabel('Email').fill('ada@python.org');
  await second.getByLabel('Password').fill('not it at all');
  await press(second, 'Sign in');
  await second.getByText('The email address or the password is wrong.').waitFor();
  await expectAccessible(second);
  await second.getByLabel('Password').fill(ownPassword);
  await press(second, 'Sign in');
  await second.getByRole('heading', { name: 'Check an address' }).waitFor();

  await ada.getByLabel(/settings and sign out/).click();
  await open(ada, 'Account and sessions');
  await ada.getByText('This browser').waitFor();
  await ada.getByRole('cell', { name: /^Chrome on \w+ This browser$/ }).waitFor();
  await expectAccessible(ada);
  await ada.getByRole('button', { name: /^End the session/ }).click();
  await ada.getByRole('button', { name: /^End the session/ }).waitFor({ state: 'detached' });
  await open(second, 'Lists');
  await second.getByRole('dialog', { name: /Your session has ended/ }).waitFor();
  await expectAccessible(second);

  await open(admin, 'Lists');
  await admin.getByRole('link', { name: 'ada.csv' }).waitFor();
  await open(admin, 'API keys');
  await admin.getByRole('cell', { name: 'from Ada of Ada' }).waitFor();
  await open(admin, 'Settings');
  await admin.getByLabel('Change Ada').click();
  await press(admin, 'Remove…');
  await admin.getByRole('dialog', { name: 'Remove this member?' }).waitFor();
  expect(await admin.evaluate(() => document.activeElement?.textContent)).toBe('Keep');
  await expectAccessible(admin);
  await press(admin, 'Remove');
  await admin.getByText('There is no member yet.').waitFor();
  await ada.reload();
  await ada.getByRole('heading', { name: 'Sign in' }).waitFor();

  await admin.getByRole('link', { name: /Audit log/ }).click();
  for (const text of ['removed a member', 'started a list', 'created a key', 'failed to sign in', 'ended a session'])
    await admin.getByText(text).first().waitFor();
  await expectAccessible(admin);
});

test('a change of role shows without a reload, and a page for others says so without its buttons', async () => {
  const { page: admin } = await lab.signedIn(serving, '/settings/members');
  const link = await invite(admin, 'Bob', 'bob@python.org');
  const { page: bob } = await lab.open('about:blank');
  await bob.clock.install();
  await bob.goto(link);
  await acceptInvitation(bob, 'the password of Bob');
  await bob.getByRole('heading', { name: 'Check an address' }).waitFor();
  await bob.goto(`${serving.root}/status`);
  await bob.getByRole('heading', { name: 'Administrators only' }).waitFor();
  expect(await bob.getByRole('main').getByRole('button').count()).toBe(0);
  await expectAccessible(bob);

  const setRole = async (role: RegExp): Promise<void> => {
    await admin.getByLabel('Change Bob').click();
    await press(admin, 'Edit…');
    await admin.getByRole('radio', { name: role }).check();
    await press(admin, 'Save');
    await admin.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await setRole(/^Administrator/);
  await bob.clock.fastForward(61_000);
  await open(bob, 'Settings');
  await bob.getByText('bob@python.org').waitFor();
  await setRole(/^Member/);
  lab.allow(/403/);
  await open(bob, 'Status');
  await bob.getByRole('heading', { name: 'Administrators only' }).waitFor();
  expect(await bob.getByRole('link', { name: 'Status' }).count()).toBe(0);
});
