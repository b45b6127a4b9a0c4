import { describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/jobs/api-keys.js';
import { openStore } from '../../../src/jobs/store/open-store.js';
import { openApiKeys } from '../../../src/service/local/keys.js';
import { freshFolder, runCli } from '../run-cli.js';

const opened = () => {
  const home = freshFolder();
  return { home, openKeys: () => openApiKeys({ home }) };
};

test('admin password reads the password from a pipe', async () => {
  const set: string[] = [];
  const { openKeys } = opened();
  const fake = async () => ({ ...(await openKeys()), setAdminPassword: async (text: string) => void set.push(text) });
  const run = await runCli(['admin', 'password', '--stdin'], {
    stdin: ' correct horse battery \n',
    tty: false,
    openKeys: fake,
  });
  expect(run).toMatchObject({ status: 0, out: '' });
  // Signing in does not trim it either.
  expect(set).toEqual([' correct horse battery ']);
  expect(run.err).not.toContain('correct horse');
});

test.each([
  { name: 'a password that is too short', stdin: 'short\n', args: ['--stdin'], says: '12 to 1,000 characters' },
  { name: 'nothing', stdin: '', args: ['--stdin'], says: 'no password on stdin' },
  { name: 'no terminal for the prompt', stdin: '', args: [], says: 'Pipe it in with --stdin' },
])('admin password refuses $name', async ({ stdin, args, says }) => {
  const run = await runCli(['admin', 'password', ...args], { stdin, tty: false, openKeys: opened().openKeys });
  expect(run.status).toBe(2);
  expect(run.err).toContain(says);
});

describe('admin members', () => {
  const members = () => {
    const { home, openKeys } = opened();
    const run = (args: string[], tty = false) => runCli(['admin', 'members', ...args], { openKeys, tty });
    return { home, run, json: async (args: string[]) => JSON.parse((await run(args)).out) };
  };

  test('invites, lists, changes, resets and removes a member, found by address or by the beginning of an id', async () => {
    const { run, json } = members();
    expect((await run([], true)).err).toContain('There are no members. Invite one with:');
    const url = ['--public-url', 'https://vet.example/'];
    const invited = await json(['invite', 'Ada@Example.org', '--name', 'Ada', ...url]);
    expect(invited).toMatchObject({ email: 'ada@example.org', name: 'Ada', role: 'member', state: 'invited' });
    expect(invited.url).toMatch(/^https:\/\/vet\.example\/invitation#[\w-]{43}$/);
    const onTerminal = await run(['invite', 'bob@example.org', '--role', 'administrator'], true);
    expect(onTerminal.out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/invitation#[\w-]{43}\n$/);
    expect(onTerminal.err).toContain('Send this link to bob@example.org.');
    expect(await json(['list', '--json'])).toMatchObject({
      members: [{ email: 'ada@example.org' }, { role: 'administrator' }],
    });
    expect((await run([], true)).out).toMatch(/EMAIL .*\nada@example\.org +member +invited +never +Ada/);
    expect(await json(['role', 'ADA@example.org', '--role', 'administrator'])).toMatchObject({ role: 'administrator' });
    const reset = await json(['reset', invited.id.slice(0, -2)]);
    expect(reset.url).not.toBe(invited.url);
    expect(await json(['remove', 'ada@example.org', '--yes'])).toMatchObject({ email: 'ada@example.org' });
    expect((await json(['--json'])).members).toHaveLength(1);
  });

  test.each([
    { args: ['invite'], status: 2, says: 'needs the email address' },
    { args: ['invite', 'nobody'], status: 2, says: 'This is not an email address.' },
    { args: ['invite', 'bob@example.org'], status: 6, says: 'exists already' },
    { args: ['role', 'bob@example.org'], status: 2, says: 'needs --role' },
    { args: ['role', 'bob@example.org', '--role', 'owner'], status: 2, says: 'administrator, member' },
    { args: ['remove', 'bob@example.org'], status: 2, says: 'needs confirmation' },
    { args: ['reset', 'cy@example.org'], status: 5, says: 'There is no member cy@example.org.' },
    { args: ['reset', 'member-'], status: 2, says: '2 members have an id that begins with member-.' },
    { args: ['promote', 'bob@example.org'], status: 2, says: 'list, invite, role, reset, remove' },
  ])('$args: $says', async ({ args, status, says }) => {
    const { run } = members();
    for (const email of ['bob@example.org', 'eve@example.org']) await run(['invite', email]);
    const refused = await run(args);
    expect(refused.err).toContain(says);
    expect(refused.status).toBe(status);
  });

  test('records actions in the audit log, and prints a link that signs in', async () => {
    const { home, json } = members();
    const { url } = await json(['invite', 'ada@example.org', '--name', 'Ada']);
    const { store } = await openStore({ home });
    expect((await store.findInvitation(hashKey(url.split('#')[1]), Date.now()))?.email).toBe('ada@example.org');
    expect((await store.listAudit({ skip: 0, limit: 1 })).entries).toMatchObject([
      { actorName: 'command line', action: 'member_invited', subjectName: 'Ada' },
    ]);
    await store.close();
  });
});
