import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freshFolder, runCli } from '../../run-cli.js';

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('explain --reply', () => {
  test('prints the verdict and the rule on a terminal', async () => {
    const { status, out } = await runCli(['explain', '--reply', '550 5.7.1 No such user!']);
    expect(status).toBe(0);
    for (const text of [
      'invalid (mailbox_not_found)',
      'words that decide (text:no_such_user), certainty 0.98, by the words\n    "no such user"',
    ]) {
      expect(out).toContain(text);
    }
  });

  const askControls = 'Ask the mail server about other mailboxes, too: mailvet validate ADDRESS --explain';

  test.each([
    { args: ['--reply', '550'], advice: askControls, why: 'it names no cause' },
    { args: ['--reply', '550 unknown or full'], advice: '', why: 'leave open whether the mailbox is missing' },
  ])('a refusal without a clear cause blames nobody: $args', async ({ args, advice, why }) => {
    const { out } = await runCli(['explain', ...args], { tty: false });
    const means = 'The mail server does not clearly say why it refused: it may be the mailbox, or us.';
    expect(JSON.parse(out)).toMatchObject({ means, advice, why: [expect.stringContaining(why)] });
  });

  test('a refusal by a block list is about the client', async () => {
    const { out } = await runCli(['explain', '--reply', '554 5.7.1 blocked by zen.spamhaus.org'], { tty: false });
    expect(JSON.parse(out).means).toContain('on a block list');
  });

  test.each([
    { args: ['--reply', '550 5.1.1 User unknown'] },
    { args: ['550 5.1.1 User unknown'] },
    { args: ['550', '5.1.1', 'User', 'unknown'] },
  ])('prints one object to a pipe: $args', async ({ args }) => {
    const { out } = await runCli(['explain', ...args], { tty: false });
    expect(out.split('\n')).toHaveLength(2);
    expect(JSON.parse(out)).toMatchObject({
      stage: 'rcpt',
      code: 550,
      class: '5xx',
      enhanced: '5.1.1',
      status: 'invalid',
      sub_status: 'mailbox_not_found',
      rule: 'enhanced:5.1.1',
      certainty: 0.98,
    });
  });

  test('several replies from stdin give one object per line', async () => {
    const stdin = '550 5.1.1 no\n450-4.2.0 Greylisted\n450 4.2.0 come back\n';
    const { out } = await runCli(['explain', '--reply', '-'], { tty: false, stdin });
    const subs = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { sub_status: string }).sub_status);
    expect(subs).toEqual(['mailbox_not_found', 'greylisted']);
  });

  test.each([
    [['--reply', '550 no'], { sub_status: 'antispam_system', vague: true }],
    [['550 5.2.2 over quota'], { sub_status: 'mailbox_quota_exceeded', status: 'risky' }],
  ])('%s', async (args, want) => {
    const { out } = await runCli(['explain', ...args], { tty: false });
    expect(JSON.parse(out)).toMatchObject(want);
  });

  test('reads custom rules', async () => {
    const file = join(folder, 'rules.txt');
    writeFileSync(file, 'no_such_user: gone fishing\n');
    const args = ['explain', '--reply', '550 5.7.1 Gone fishing.', '--set', `reply_rules=${file}`];
    const { out } = await runCli(args, { tty: false });
    expect(JSON.parse(out)).toMatchObject({ rule: 'own:no_such_user', phrase: 'gone fishing' });
  });

  test('skips lines that are not a reply, and names the first', async () => {
    const stdin = '550 5.1.1 No such user\nhello\n\n452 4.2.2 Mailbox full\n';
    const { status, out, err } = await runCli(['explain', '--reply', '-', '-q'], { tty: false, stdin });
    expect(status).toBe(0);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).code),
    ).toEqual([550, 452]);
    expect(err).toBe('warning: 1 line was skipped: not an SMTP reply. The first is line 2: "hello"\n');
  });

  test('control characters do not reach the terminal', async () => {
    const { out } = await runCli(['explain', '--reply', '550 5.1.1 \x1b[31mno\u202e']);
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });
});

describe('explain CODE', () => {
  test.each([
    { code: 'catch_all', want: { kind: 'sub_status', status: 'risky' } },
    { code: 'Catch-All', want: { code: 'catch_all' } },
    { code: 'spamtrap', want: { kind: 'sub_status', status: 'risky' } },
    { code: 'null_mx', want: { kind: 'reason', status: null } },
    { code: 'empty', want: { kind: 'row', status: null, advice: '--only empty lists such rows.' } },
    { code: 'suppressed', want: { kind: 'row', means: expect.stringContaining('not vetted') } },
    { code: 'duplicate', want: { kind: 'row', means: expect.stringContaining('the same mailbox') } },
    { code: 'no_answer', want: { kind: 'row', means: expect.stringContaining('not for this address') } },
    { code: 'local_double_dot:2', want: { code: 'local_double_dot', kind: 'syntax', status: 'invalid' } },
  ])('$code', async ({ code, want }) => {
    const { status, out } = await runCli(['explain', code], { tty: false });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject(want);
  });

  test('prints the meaning and the advice on a terminal', async () => {
    const { out } = await runCli(['explain', 'greylisted']);
    expect(out).toMatch(/^greylisted {2}sub_status, unknown\n {2}The mail server asks new senders/);
    expect(out).toContain('  Try again later.\n');
  });

  test('a status lists its codes', async () => {
    const { out } = await runCli(['explain', 'risky', '--json'], { tty: false });
    const { codes: entries } = JSON.parse(out) as { codes: { code: string; status: string }[] };
    expect(entries.map(({ code }) => code)).toContain('disposable');
    expect(entries.filter(({ status }) => status !== 'risky')).toEqual([]);
  });

  test('without a code, lists every code within the width of the terminal', async () => {
    const { status, out } = await runCli(['explain']);
    expect(status).toBe(0);
    for (const code of ['catch_all', 'null_mx', 'label_too_long', '""']) expect(out).toContain(` ${code} `);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test.each([
    { args: ['catchall'], hint: 'Did you mean catch_all?' },
    { args: ['mailbox_not_fuond'], hint: 'Did you mean mailbox_not_found?' },
    { args: ['greylist'], hint: 'Did you mean greylisted?' },
    { args: ['unknwon'], hint: 'Did you mean unknown?' },
    { args: ['xyzzy'], hint: 'All codes: mailvet explain' },
    { args: ['x'.repeat(100_000)], hint: 'All codes: mailvet explain' },
    { args: ['catch_all', '--reply', '550 x'], hint: 'Give either a code or --reply' },
    { args: ['--reply', 'what?'], hint: 'Write it as the host sent it' },
    { args: ['--reply', ''], hint: 'Write it as the host sent it' },
    { args: ['--reply', '550 x', '--set', 'reply_rules=/nonexistent/rules'], hint: 'one rule per line' },
    { args: [''], hint: 'All codes: mailvet explain' },
    { args: ['550'], hint: 'mailvet explain --reply "550 …"' },
    { args: ['5.7.1'], hint: 'mailvet explain --reply "5.7.1 …"' },
  ])('a usage error: $hint', async ({ args, hint }) => {
    const run = await runCli(['explain', ...args], { columns: 200 });
    expect(run).toMatchObject({ status: 2, out: '' });
    expect(run.err).toContain(hint);
  });
});
