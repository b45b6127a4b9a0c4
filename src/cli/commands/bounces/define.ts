import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addOutputFlags, examples, groups, type RawFlags } from '../../flags/flags.js';
import { readOutputFlags } from '../../flags/output-flags.js';
import type { BouncesOptions, ValueFlag } from './bounce-consumers.js';

/** `bounces <file|folder|->`: reads what came back after a mailing. */
export function defineBounces(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const bounces = program
    .command('bounces')
    .summary('read delivery reports, complaints and mail logs')
    .description(
      'Reads what became of a mailing: delivery reports and complaints in an mbox, a Maildir or .eml files, mail logs\n' +
        'of Postfix and Exim, and events of Amazon SES (also through SNS), of Postmark, or in any CSV with addresses\n' +
        'and SMTP replies. Each failed recipient is one row: hard (the mailbox or domain is gone), soft (full, or a\n' +
        'temporary failure), policy (about the sender or the message), complaint or unreadable. Deliveries are counted,\n' +
        'and are rows with --only delivered. Notices of delay and automatic replies are not bounces. Nothing is sent\n' +
        'over the network, and no body or subject is stored or shown.',
    )
    .argument('[inputs...]', 'files and folders; - or nothing reads stdin')
    .option(
      '--suppress <file>',
      'add hard bounces and complaints to this CSV, for --exclude; FILE.seen keeps hashes of the notices, so that each counts once',
    )
    .option('--against <file>', 'an earlier output of bulk or upload: compare its verdicts with what happened')
    .option('--sent <file>', 'the list that was mailed: of the rest of it, no bounce was seen')
    .option('--report <file>', 'with --against or --sent: write the comparison as a page (HTML)')
    .option(
      '--learn',
      'keep which addresses took mail and which bounced, for later verdicts where a mail server does not tell',
    )
    .optionsGroup(groups.input)
    .option('--column <name>', 'CSV: column with the addresses, by name or number (default: detected)')
    .option('--reply-column <name>', 'CSV: column with the SMTP reply or diagnostic code (default: detected)');
  addOutputFlags(bounces, {
    only: ['--only <kinds>', 'only rows with these: hard,soft,policy,complaint,unreadable,delivered'],
    fields: 'only these fields of a row, e.g. address,kind,reply',
  });
  addCommonFlags(bounces)
    .addHelpText('after', help)
    .action((paths: string[], flags: RawFlags) =>
      run(flags, async (context, { runBounces }) =>
        runBounces(context, {
          ...(flags as Pick<BouncesOptions, ValueFlag>),
          ...{ paths, output: await readOutputFlags(flags, 'bounce'), learn: flags['learn'] === true },
        }),
      ),
    );
  const forget = bounces
    .command('forget')
    .summary('remove what was learned')
    .description('Removes what --learn kept in the data directory. A service that runs notices it within a minute.');
  const forgetAll = lazyLaunch(launch, () => import('./bounce-consumers.js'));
  addCommonFlags(forget)
    .addHelpText('after', examples(['mailvet bounces forget', 'as if no mail had been read']))
    .action((flags: RawFlags) => forgetAll(flags, (context, { runBouncesForget }) => runBouncesForget(context)));
}

const help = `${examples(
  ['mailvet bounces ~/Maildir/.Bounces', 'a folder of mail, as a table'],
  ['mailvet bounces /var/log/mail.log --against vetted.csv', 'what arrived, and what did not'],
  ['mailvet bounces /var/log/mail.log -q --only hard --learn', 'each night: what was delivered is valid'],
  ['mailvet bounces bounces.mbox --suppress stop.csv', 'keep a suppression list'],
  ['mailvet bulk list.csv --exclude stop.csv -o vetted.csv', 'and use it'],
  ['mailvet bounces b.mbox --against vetted.csv --sent sent.csv -o b.csv', 'how good the verdicts were'],
  ['mailvet bounces ses.ndjson --only hard,complaint --format plain', 'addresses only'],
  ['mailvet bounces export.csv --column recipient --reply-column smtp_response', 'any CSV'],
)}

Exit status: 0 done, 2 usage or unreadable input, 6 storage, 130 interrupted.`;
