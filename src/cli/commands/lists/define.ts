import { type Command, Option } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addGroupExamples } from '../../flags/flags.js';

/** `lists show|update|reset`: the lists of disposable and free domains. */
export function defineLists(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const lists = program
    .command('lists')
    .summary('show and update the lists of domains')
    .description(
      'The bundled lists of disposable and free domains age within weeks. An update\n' +
        'installs newer ones from a file or an https URL, if the minisign signature\n' +
        '(FILE.minisig) matches your public key. Nothing is downloaded unless you run it.',
    );
  addCommonFlags(
    lists
      .command('show')
      .summary('every list: entries, date and origin')
      .description('Shows the entries, the date and the origin of every list.')
      .option('--json', 'as JSON (the default in a pipe)'),
  ).action((flags: { json?: boolean }) => run(flags, (context, { runListsShow }) => runListsShow(context, flags)));
  addCommonFlags(
    lists
      .command('update')
      .summary('install newer lists')
      .description('Installs newer lists from a signed package.')
      .addOption(new Option('--from <file|url>', 'the package of lists').makeOptionMandatory())
      .addOption(new Option('--key <key|file>', 'minisign public key of the publisher').makeOptionMandatory())
      .option('--json', 'as JSON (the default in a pipe)'),
  ).action((flags: { from: string; key: string; json?: boolean }) =>
    run(flags, (context, { runListsUpdate }) => runListsUpdate(context, flags)),
  );
  addCommonFlags(
    lists
      .command('reset')
      .summary('go back to the bundled lists')
      .description('Goes back to the bundled lists.')
      .option('--json', 'as JSON (the default in a pipe)'),
  ).action((flags: { json?: boolean }) => run(flags, (context, { runListsReset }) => runListsReset(context, flags)));
  addGroupExamples(lists, [
    ['mailvet lists show', 'what is in use, and how old it is'],
    ['mailvet lists update --from https://lists.example/l.json.gz --key lists.pub', 'once a week, from cron'],
    ['mailvet lists update --from lists.json.gz --key RW…', 'a file'],
    ['mailvet lists reset', 'return to the bundled lists'],
  ]);
  lists.addHelpText(
    'after',
    '\nExit status: 0 done, or nothing newer; 2 the package, its signature or its\nsize is refused; 4 it cannot be downloaded; 6 storage. A running service\nuses new lists after a restart.\n',
  );
}
