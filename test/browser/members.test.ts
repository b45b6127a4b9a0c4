import { expect, test } from 'vitest';
import { expectAccessible, useBrowser, useServing } from './open-browser.js';

const lab = useBrowser();
const serving = useServing();

const ownPassword = 'the password of Ada';

test('a member is invited, joins, has their own keys and lists, and is removed; the audit log records it', async () => {
  const { page: otherUser } = await lab.signedIn(serving, '/');
  const { page: admin } = await lab.signedIn(serving, '/settings/members');
  await admin.getByText('There is no member yet.').waitFor();
  await expectAccessible(admin);
  await admin.getByRole('button', { name: 'Invite a member' }).click();
  await admin.getByLabel('Name').fill('Ada');
  await admin.getByLabel('Email').fill('Ada@Python.org');
  await expectAccessible(admin);
  await admin.getByRole('button', { name: 'Create invitation' }).click();
  const panel = admin.getByRole('region', { name: 'The invitation' });
  const link = await panel.getByText(/\/invitation#/).innerText();
  await expectAccessible(admin);
  await admin.reload();
  await admin.getByText('ada@python.org').waitFor();
  expect(await admin.content()).not.toContain(link.split('#')[1]);

  await otherUser.goto(link);
  await otherUser.getByText('signed in as Admin').waitFor();
  await expectAccessible(otherUser);
  await otherUser.getByRole('button', { name: 'Stay signed in' }).click();
  await otherUser.getByRole('heading', { name: 'Check an address' }).waitFor();
  await otherUser.goto(link);
  await otherUser.getByRole('button', { name: 'Sign out and accept it' }).click();
  await otherUser.getByRole('heading', { name: 'Welcome, Ada' }).waitFor();

  const { page: ada } = await lab.open(link);
  await ada.getByRole('heading', { name: 'Welcome, Ada' }).waitFor();
  await expectAccessible(ada);
  await ada.getByLabel('Password', { exact: true }).fill(ownPassword);
  await ada.getByLabel('Repeat the password').fill('something else');
  await ada.getByRole('button', { name: 'Set password and sign in' }).click();
  await ada.getByText('The passwords do not match.').waitFor();
  await ada.getByLabel('Repeat the password').fill(ownPassword);
  await ada.getByRole('button', { name: 'Set password and sign in' }).click();
  await ada.getByRole('heading', { name: 'Check an address' }).waitFor();
  expect(ada.url()).toBe(`${serving.root}/`);
  expect(await ada.getByRole('link', { name: 'Status' }).count()).toBe(0);
  expect(await ada.getByRole('link', { name: 'Status' }).count()).toBe(0);

  await ada.getByRole('link', { name: 'API keys' }).click();
  await ada.getByRole('button', { name: 'New key' }).click();
  expect(await ada.getByLabel('Credits').count()).toBe(0);
  await ada.getByLabel('Name').fill('from Ada');
  await ada.getByRole('button', { name: 'Create key' }).click();
  await ada.getByRole('region', { name: 'The new key' }).waitFor();
  await ada.getByRole('link', { name: 'Lists' }).click();
  const list = { name: 'ada.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nx@python.org\n') };
  await ada.getByLabel('Choose a list').setInputFiles(list);
  await ada.getByRole('button', { name: 'Check 1 address' }).click();
  await ada.getByText('1 of 1 row answered').waitFor();

  const { page: second } = await lab.open(link);
  lab.allow(/401/);
  await second.getByText('This invitation is no longer valid.').waitFor();
  await expectAccessible(second);
  await second.getByRole('button', { name: 'Sign in instead' }).click();
  await second.getByLabel('Email').fill('ada@python.org');
  await second.getByLabel('Password').fill('not it at all');
  await second.getByRole('button', { name: 'Sign in' }).click();
  await second.getByText('The email address or the password is wrong.').waitFor();
  await expectAccessible(second);
  await second.getByLabel('Password').fill(ownPassword);
  await second.getByRole('button', { name: 'Sign in' }).click();
  await second.getByRole('heading', { name: 'Check an address' }).waitFor();

  await ada.getByLabel(/settings and sign out/).click();
  await ada.getByRole('link', { name: 'Account and sessions' }).click();
  await ada.getByText('This browser').waitFor();
  await ada.getByRole('cell', { name: /^Chrome on \w+ This browser$/ }).waitFor();
  await expectAccessible(ada);
  await ada.getByRole('button', { name: /^End the session/ }).click();
  await ada.getByRole('button', { name: /^End the session/ }).waitFor({ state: 'detached' });
  await second.getByRole('link', { name: 'Lists' }).click();
  await second.getByRole('dialog', { name: /Your session has ended/ }).waitFor();
  await expectAccessible(second);

  await admin.getByRole('link', { name: 'Lists' }).click();
  await admin.getByRole('link', { name: 'ada.csv' }).waitFor();
  await admin.getByRole('link', { name: 'API keys' }).click();
  await admin.getByRole('cell', { name: 'from Ada of Ada' }).waitFor();
  await admin.getByRole('link', { name: 'Settings' }).click();
  await admin.getByLabel('Change Ada').click();
  await admin.getByRole('button', { name: 'Remove…' }).click();
  await admin.getByRole('dialog', { name: 'Remove this member?' }).waitFor();
  expect(await admin.evaluate(() => document.activeElement?.textContent)).toBe('Keep');
  await expectAccessible(admin);
  await admin.getByRole('button', { name: 'Remove', exact: true }).click();
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
  await admin.getByRole('button', { name: 'Invite a member' }).click();
  await admin.getByLabel('Name').fill('Bob');
  await admin.getByLabel('Email').fill('bob@python.org');
  await admin.getByRole('button', { name: 'Create invitation' }).click();
  const link = await admin
    .getByRole('region', { name: 'The invitation' })
    .getByText(/\/invitation#/)
    .innerText();
  const { page: bob } = await lab.open('about:blank');
  await bob.clock.install();
  await bob.goto(link);
  await bob.getByLabel('Password', { exact: true }).fill('the password of Bob');
  await bob.getByLabel('Repeat the password').fill('the password of Bob');
  await bob.getByRole('button', { name: 'Set password and sign in' }).click();
  await bob.getByRole('heading', { name: 'Check an address' }).waitFor();
  for (const path of ['/status']) {
    await bob.goto(`${serving.root}${path}`);
    await bob.getByRole('heading', { name: 'Administrators only' }).waitFor();
    expect(await bob.getByRole('main').getByRole('button').count()).toBe(0);
  }
  await expectAccessible(bob);

  const setRole = async (role: RegExp): Promise<void> => {
    await admin.getByLabel('Change Bob').click();
    await admin.getByRole('button', { name: 'Edit…' }).click();
    await admin.getByRole('radio', { name: role }).check();
    await admin.getByRole('button', { name: 'Save', exact: true }).click();
    await admin.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await setRole(/^Administrator/);
  await bob.clock.fastForward(61_000);
  await bob.getByRole('link', { name: 'Settings' }).click();
  await bob.getByText('bob@python.org').waitFor();
  await setRole(/^Member/);
  lab.allow(/403/);
  await bob.getByRole('link', { name: 'Status' }).click();
  await bob.getByRole('heading', { name: 'Administrators only' }).waitFor();
  expect(await bob.getByRole('link', { name: 'Status' }).count()).toBe(0);
});
