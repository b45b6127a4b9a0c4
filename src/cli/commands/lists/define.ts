import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addFormatFlags, addGroupExamples } from '../../flags/flags.js';
import type { FormatFlags } from '../../flags/output-flags.js';

/** `lists show|update`: the lists of disposable and free domains. */
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
  const show = lists
    .command('show')
    .summary('every list: entries, date and origin')
    .description('Shows the entries, the date and the origin of every list.');
  addCommonFlags(addFormatFlags(show)).action((flags: FormatFlags) =>
    run(flags, (context, { runListsShow }) => runListsShow(context, flags)),
  );
  const update = lists
    .command('update')
    .summary('install newer lists')
    .description('Installs newer lists from a signed package, or goes back to the bundled ones.')
    .requiredOption('--from <file|url>', 'the package of lists, or bundled for those of this version')
    .option('--key <key|file>', 'minisign public key of the publisher');
  addCommonFlags(addFormatFlags(update)).action((flags: FormatFlags & { from: string; key?: string }) =>
    run(flags, (context, { runListsUpdate }) => runListsUpdate(context, flags)),
  );
  addGroupExamples(lists, [
    ['mailvet lists show', 'what is in use, and how old it is'],
    ['mailvet lists update --from https://lists.example/l.json.gz --key lists.pub', 'once a week, from cron'],
    ['mailvet lists update --from lists.json.gz --key RW…', 'a file'],
    ['mailvet lists update --from bundled', 'return to the bundled lists'],
  ]);
  lists.addHelpText(
    'after',
    '\nExit status: 0 done, or nothing newer; 2 the package, its signature or its\nsize is refused; 4 it cannot be downloaded; 6 storage. A running service\nuses new lists after a restart.\n',
  );
}
