import { definitionOf, settingFields } from '../../settings/definitions.js';

const setting = (key: string, value: string): string =>
  `It is a setting: --set ${key}=${value}, or for good: mailvet config set ${key} ${value}`;

const results = (flag: string): string => `Give it to the results: mailvet jobs results ID ${flag}`;

/**
 * What replaces flags and commands of earlier versions, kept until the next major version. A flag that other commands still
 * have stands after its command. Flags with the name of a setting are not in it.
 */
export const removed: Readonly<Record<string, string>> = {
  '--in-place': 'Write a new file and rename it: mailvet bulk list.csv -o new.csv && mv new.csv list.csv',
  '--sample': 'Choose the rows first: shuf -n 1000 list.txt | mailvet bulk',
  '--split-cells': 'Cells with several addresses are counted; --input text finds each address.',
  '--fix': 'Corrections are in the column mailvet_did_you_mean.',
  '--hash': 'Hashes are a field: --fields email_sha256,status',
  '--raw': 'Cells are never changed.',
  '--skip-rows': 'Name the line of the header: --header 3',
  '--no-header': 'Say so with: --header none',
  '--since': 'Compare two outputs: mailvet diff OLD NEW',
  '--only-changed': 'Compare two outputs: mailvet diff OLD NEW --only-changed -o changes.csv',
  '--max-gone': 'Compare two outputs: mailvet diff OLD NEW --max-gone 10%',
  '--max-changed': 'Compare two outputs: mailvet diff OLD NEW --max-changed 30%',
  '--min-rows': 'Compare two outputs: mailvet diff OLD NEW --min-rows 80%',
  '--report': 'Write the page of an output or a job: mailvet report FILE -o report.html',
  '--resume': 'Give the same command again: it continues an interrupted run. --fresh starts again.',
  '--only-unknown': 'Unknown addresses are asked again by: --max-age 30d',
  '--part': 'Give the same command again: it sends what was not sent.',
  '--new': 'Use --fresh to start again.',
  '--rejects': 'Use --clean, which writes NAME.clean.csv, NAME.review.csv and NAME.rejected.csv.',
  '--send-invalid': 'What cannot be an address is never sent, nor paid.',
  '--retry-billable': 'What may have been paid is never sent again by itself; --max-age 1d asks what has no answer.',
  '--dedupe=provider': 'Use --dedupe, which keeps the first row of each mailbox.',
  '--timeout': setting('timeout', '10s'),
  '--concurrency': setting('concurrency', '50'),
  '--greylist-wait': setting('greylist_wait', '5m'),
  '--level': setting('level', 'dns'),
  '--resolver': setting('resolvers', '192.0.2.53'),
  '--allow-network': setting('allow_networks', '10.0.0.0/8'),
  '--no-ai': setting('ai', 'false'),
  '--rules': setting('reply_rules', 'FILE'),
  '--store': setting('store', '@FILE'),
  'serve --exclude': setting('serve.exclude', 'FILE'),
  '--no-web': setting('serve.web', 'false'),
  '--no-jobs': setting('serve.jobs', 'false'),
  '--webhook-network': setting('serve.webhook_networks', '10.0.0.0/8'),
  'upload --only': results('--only valid'),
  'upload --fields': results('--fields email,status'),
  'upload --clean': results('--clean'),
  'upload --dedupe': results('--dedupe'),
  'upload --summary': results('--summary FILE'),
  'upload --fail-on': results('-o FILE --fail-on invalid'),
  'upload --max-unknown': results('-o FILE --max-unknown 20%'),
  'validate -o': 'Name a file in the shell (> FILE), or use mailvet bulk with -o.',
  'validate --output': 'Name a file in the shell (> FILE), or use mailvet bulk with -o.',
  whoami: 'The back end, the key and its credits are shown by: mailvet doctor',
};

/** The next step for a flag of a command, or a command, that is gone; null for any other. */
export function replacementFor(command: string, flag: string): string | null {
  const bare = flag.replace(/=.*$/s, '');
  const names = [flag, `${command} ${bare}`.trim(), bare].filter((name) => name !== '');
  return names.map((name) => removed[name]).find((text) => text !== undefined) ?? null;
}

/** The next step for a flag that has the name of a setting; null for any other. */
export function settingFor(command: string, flag: string): string | null {
  const name = flag.slice(2).replaceAll('-', '_');
  const definitions = settingFields.map(definitionOf);
  const found = [...(command === 'serve' ? [] : [name]), `serve.${name}`, name].flatMap(
    (key) => definitions.find((each) => each.key === key && !each.secret) ?? [],
  );
  return found[0] === undefined ? null : `${setting(found[0].key, 'VALUE')}. Allowed: ${found[0].kind.allowed}.`;
}
