import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addGroupExamples, parseCount, parseLifetime } from '../../flags/flags.js';
import type { CreateFlags, RevokeFlags } from './run.js';

/** `keys create|list|revoke`: the API keys of the server. */
export function defineKeys(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const keys = program
    .command('keys')
    .summary('create, list and revoke keys of your server')
    .description('Keys for callers of "mailvet serve" on this machine. A running server accepts new keys at once.');
  const define = (name: string, summary: string, description: string): Command =>
    addCommonFlags(
      keys.command(name).summary(summary).description(description).option('--json', 'as JSON (the default in a pipe)'),
      ['store'],
    );

  define('create', 'create a key, and show it once', 'Creates a key, and shows it once.')
    .usage('--name <name> [options]')
    .requiredOption('--name <name>', 'who or what uses the key', parseName)
    .option('--plan <plan>', 'plan name that its callers see (metadata.plan_tier)', parsePlan, 'self-hosted')
    .option('--credits <n>', 'how many addresses it may validate (default: no limit)', parseCount(0))
    .option('--expires <time>', 'how long it is valid, e.g. 12h or 30d (default: forever)', parseLifetime)
    .addOption(
      new Option('--test', 'a key for tests: free, and only for addresses at sandbox.mailvet.test').conflicts(
        'credits',
      ),
    )
    .action((flags: CreateFlags) => run(flags, (context, commands) => commands.runKeysCreate(context, flags)));
  define('list', 'list the keys', 'Lists the keys, without the secret part.').action((flags: { json?: boolean }) =>
    run(flags, (context, commands) => commands.runKeysList(context, flags)),
  );
  define('revoke <id>', 'revoke a key', 'Revokes a key at once.')
    .option('-y, --yes', 'do not ask')
    .action((id: string, flags: RevokeFlags) =>
      run(flags, (context, commands) => commands.runKeysRevoke(context, id, flags)),
    );
  addGroupExamples(keys, [
    ['mailvet keys create --name billing', 'without limit'],
    ['mailvet keys create --name trial --plan trial --credits 1000 --expires 30d', 'with limits'],
    ['mailvet keys create --name ci --json | jq -r .key', 'the key alone, in a script'],
    ['mailvet keys create --name ci --test', 'for your test suite: no mail server is asked'],
    ['mailvet keys list', 'who has one, and when it was last used'],
    ['mailvet keys revoke 3f2a91c0', 'by the id that the list shows'],
  ]);
}

function parseName(text: string): string {
  const name = text.trim();
  if (/^[^\u0000-\u001f\u007f-\u009f]{1,100}$/.test(name)) return name;
  throw new InvalidArgumentError('Allowed: one line of up to 100 characters.');
}

function parsePlan(text: string): string {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('Allowed: up to 64 letters, digits, hyphens, underscores and dots.');
}
