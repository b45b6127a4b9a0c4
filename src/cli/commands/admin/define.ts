import { Argument, type Command, Option } from 'commander';
import { memberRoles } from '../../../model/member.js';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addFormatFlags, addGroupExamples, addSettingFlags } from '../../flags/flags.js';
import type { MemberAction, MemberFlags } from './run.js';

const memberActions = ['list', 'invite', 'role', 'reset', 'remove'] as const satisfies readonly MemberAction[];

/** `admin password|members`: the users of the server's web application. */
export function defineAdmin(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const admin = program
    .command('admin')
    .summary('password and members of your server’s web application')
    .description('Sets the password and the members of "mailvet serve" on this machine.');
  const password = admin
    .command('password')
    .summary('set the password of the web application')
    .description('Sets the password of the web application, also while the server runs. All sessions end.')
    .option('--stdin', 'read it from stdin instead of asking for it');
  addCommonFlags(addSettingFlags(password, ['store'])).action((flags: { stdin?: boolean }) =>
    run(flags, (context, { runAdminPassword }) => runAdminPassword(context, { fromStdin: flags.stdin === true })),
  );
  const members = admin
    .command('members')
    .summary('the people who sign in to the web application')
    .description('Shows and changes who can sign in to the web application.')
    .addArgument(new Argument('[action]', 'what to do').choices(memberActions).default('list'))
    .argument('[email]', 'the member, by email address')
    .option('--name <name>', 'with invite: the name that others see')
    .addOption(new Option('--role <role>', 'with invite and role: what they may do').choices(memberRoles))
    .option('--public-url <url>', 'with invite and reset: where browsers find the server', 'http://127.0.0.1:8080')
    .option('-y, --yes', 'with remove: do not ask');
  addCommonFlags(addFormatFlags(addSettingFlags(members, ['store']))).action(
    (action: MemberAction, email: string | undefined, flags: MemberFlags) =>
      run(flags, (context, { runAdminMembers }) => runAdminMembers(context, action, email, flags)),
  );
  addGroupExamples(admin, [
    ['mailvet admin password', 'asks for it twice'],
    ['mailvet admin password --stdin < password.txt', 'for a script; the first line counts'],
    ['mailvet admin members', 'who can sign in, and when they last did'],
    ['mailvet admin members invite ada@example.org --name Ada', 'prints a link to send, valid once'],
    ['mailvet admin members role ada@example.org --role administrator', 'takes effect at once'],
    ['mailvet admin members reset ada@example.org', 'a link to choose another password'],
    ['mailvet admin members remove ada@example.org', 'signs them out and revokes their keys'],
  ]);
}
