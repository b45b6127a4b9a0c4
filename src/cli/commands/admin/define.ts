import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addGroupExamples, addSettingFlags } from '../../flags/flags.js';

/** `admin password`: the administrator of the server's web application. */
export function defineAdmin(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const admin = program
    .command('admin')
    .summary('the password of your server’s web application')
    .description('Sets the administrator’s password of "mailvet serve" on this machine.');
  const password = admin
    .command('password')
    .summary('set the password of the web application')
    .description('Sets the password of the web application, also while the server runs. All sessions end.')
    .option('--stdin', 'read it from stdin instead of asking for it');
  addCommonFlags(addSettingFlags(password, ['store'])).action((flags: { stdin?: boolean }) =>
    run(flags, (context, { runAdminPassword }) => runAdminPassword(context, { fromStdin: flags.stdin === true })),
  );
  addGroupExamples(admin, [
    ['mailvet admin password', 'asks for it twice'],
    ['mailvet admin password --stdin < password.txt', 'for a script; the first line counts'],
  ]);
}
