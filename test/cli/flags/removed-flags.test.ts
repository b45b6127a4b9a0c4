import { expect, test } from 'vitest';
import { removed } from '../../../src/cli/flags/removed-flags.js';
import { runCli } from '../run-cli.js';

/** A command that takes every flag that is only said to be a setting elsewhere. */
const commandWithout = (name: string): string =>
  ['--timeout', '--store', '--older-than'].includes(name) ? 'bulk' : 'doctor';

test.each(Object.entries(removed))('%s says what replaces it', async (name, replacement) => {
  const [flag = ''] = /-\S+$/.exec(name.replace(/^\S+ (?!-)\S+$/, '')) ?? [];
  const command = name.slice(0, name.length - flag.length).trim() || commandWithout(flag);
  const bare = flag.replace(/=.*$/, '');
  for (const word of new Set([flag, flag === bare && flag !== '' ? `${flag}=3` : flag])) {
    const args = [...command.split(' '), ...(word === '' ? [] : [word])];
    const { status, err } = await runCli(args, { columns: 400 });
    const said = flag === '' ? '' : `mailvet ${command} has no ${flag}.`;
    expect([status, err.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(`${said} ${replacement}`.trim())]);
  }
});

test.each([
  { args: ['bulk', 'list.csv', '--wait'], owner: 'mailvet upload' },
  { args: ['validate', 'a@b.co', '--clean'], owner: 'mailvet bulk' },
  { args: ['jobs', 'list', '--dry-run'], owner: 'mailvet bulk' },
])('$args names the command that has the flag', async ({ args, owner }) => {
  const { status, err } = await runCli(args, { columns: 400 });
  expect([status, err]).toEqual([2, expect.stringContaining(`That is a flag of: ${owner}`)]);
});

const settings = `--ehlo-name --mail-from --smtp-port --tls --proxy --source-ip --allow-list --deny-list --reply-rules
  --store-connections --queue --retries --allow-http upload --max-rows serve --max-rows serve --tls-cert serve --tls-key
  serve --admin-password-file serve --user-header serve --max-file-size serve --rate-limit serve --drain
  serve --max-connections serve --log-level serve --log-format`;

test.each(settings.match(/(?:\w+ )?--\S+/g) ?? [])('%s names the setting', async (words) => {
  const [flag = '', command = 'doctor'] = words.split(' ').reverse();
  const name = flag.slice(2).replaceAll('-', '_');
  const { status, err } = await runCli([command, flag, '3'], { columns: 400 });
  const key = command === 'serve' ? `serve.${name}` : name;
  expect([status, err]).toEqual([2, expect.stringContaining(`It is a setting: --set ${key}=VALUE, or for good:`)]);
  expect(err).toContain('Allowed: ');
});
