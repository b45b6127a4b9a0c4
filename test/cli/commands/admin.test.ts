import { expect, test } from 'vitest';
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
