const setting = (key: string, value: string): string =>
  `It is a setting: --set ${key}=${value}, or for good: mailvet config set ${key} ${value}`;

const results = (flag: string): string => `Give it to the results: mailvet jobs results ID ${flag}`;

/**
 * What replaces flags and commands of earlier versions, kept until the next major version. A flag that other commands still
 * have stands after its command.
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
  '--ehlo-name': setting('ehlo_name', 'mail.example.com'),
  '--mail-from': setting('mail_from', 'postmaster@example.com'),
  '--smtp-port': setting('smtp_port', '25'),
  '--tls': setting('tls', 'required'),
  '--proxy': setting('proxy', 'socks5://127.0.0.1:1080'),
  '--source-ip': setting('source_ip', '192.0.2.1'),
  '--allow-network': setting('allow_networks', '10.0.0.0/8'),
  '--no-ai': setting('ai', 'false'),
  '--allow-list': setting('allow_list', 'FILE'),
  '--deny-list': setting('deny_list', 'FILE'),
  '--reply-rules': setting('reply_rules', 'FILE'),
  '--rules': setting('reply_rules', 'FILE'),
  '--store': setting('store', '@FILE'),
  '--store-connections': setting('store_connections', '8'),
  '--queue': setting('queue', '@FILE'),
  '--retries': setting('retries', '3'),
  '--allow-http': setting('allow_http', 'true'),
  'upload --max-rows': setting('max_rows', '10000'),
  'serve --exclude': setting('serve.exclude', 'FILE'),
  'serve --max-rows': setting('serve.max_rows', '1000000'),
  '--tls-cert': setting('serve.tls_cert', 'FILE'),
  '--tls-key': setting('serve.tls_key', 'FILE'),
  '--no-web': setting('serve.web', 'false'),
  '--no-jobs': setting('serve.jobs', 'false'),
  '--admin-password-file': setting('serve.admin_password_file', 'FILE'),
  '--user-header': setting('serve.user_header', 'Remote-Email'),
  '--webhook-network': setting('serve.webhook_networks', '10.0.0.0/8'),
  '--max-file-size': setting('serve.max_file_size', '64'),
  '--rate-limit': setting('serve.rate_limit', '100'),
  '--drain': setting('serve.drain', '10s'),
  '--max-connections': setting('serve.max_connections', '4096'),
  '--log-level': setting('serve.log_level', 'warn'),
  '--log-format': setting('serve.log_format', 'json'),
  '--older-than': setting('keep_jobs', '90d'),
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
  'config path': 'The path is shown by: mailvet config list',
  'config profiles': 'Profiles are shown by: mailvet config list',
  'config use': 'Choose a profile with: mailvet config set profile NAME',
  'config remove-profile': 'Remove a profile with: mailvet config unset --all --profile NAME',
  'jobs prune': `Delete one with mailvet jobs delete ID. ${setting('keep_jobs', '90d')}`,
};

/** The next step for a flag of a command, or a command, that is gone; null for any other. */
export function replacementFor(command: string, flag: string): string | null {
  const bare = flag.replace(/=.*$/s, '');
  const names = [flag, `${command} ${bare}`.trim(), bare].filter((name) => name !== '');
  return names.map((name) => removed[name]).find((text) => text !== undefined) ?? null;
}
