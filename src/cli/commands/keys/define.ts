import { type Command, InvalidArgumentError, Option } from 'commander';
import { limits } from '../../../wire/schema.js';
import { type Launch, lazyLaunch } from '../../context.js';
import {
  addCommonFlags,
  addFormatFlags,
  addGroupExamples,
  addSettingFlags,
  parseCount,
  parseLifetime,
} from '../../flags/flags.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import type { CreateFlags, RevokeFlags, SetFlags } from './run.js';

/** `keys create|list|set|revoke`: the API keys of the server. */
export function defineKeys(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const keys = program
    .command('keys')
    .summary('create, list, change and revoke keys of your server')
    .description('Keys for callers of "mailvet serve" on this machine. A running server accepts new keys at once.');
  const define = (name: string, summary: string, description: string): Command =>
    addCommonFlags(
      addFormatFlags(addSettingFlags(keys.command(name).summary(summary).description(description), ['store'])),
    );

  define('create', 'create a key, and show it once', 'Creates a key, and shows it once.')
    .usage('--name <name> [options]')
    .requiredOption('--name <name>', 'who or what uses the key', parseName)
    .option('--plan <plan>', 'plan name that its callers see (metadata.plan_tier)', parsePlan, 'self-hosted')
    .option(
      '--credits <n>',
      'how many addresses it may validate (default: no limit)',
      parseCount(creditLimits.minimum, creditLimits.maximum),
    )
    .option('--expires <time>', 'how long it is valid, e.g. 12h or 30d (default: forever)', parseLifetime)
    .addOption(
      new Option('--test', 'a key for tests: free, and only for addresses at sandbox.mailvet.test').conflicts(
        'credits',
      ),
    )
    .action((flags: CreateFlags) => run(flags, (context, commands) => commands.runKeysCreate(context, flags)));
  define('list', 'list the keys', 'Lists the keys, without the secret part.').action((flags: FormatFlags) =>
    run(flags, (context, commands) => commands.runKeysList(context, flags)),
  );
  define('set <id>', 'change name, credits or expiry', 'Changes the name, the credits or the expiry of a key.')
    .option('--name <name>', 'who or what uses the key', parseName)
    .option('--credits <n>', 'how many addresses it may validate from now on, or none for no limit', (text) =>
      // Commander takes null for an empty value.
      text === 'none' ? text : parseCredits(text),
    )
    .option('--expires <time>', 'how long it is valid from now on, e.g. 12h or 30d, or never', (text) =>
      text === 'never' ? text : parseLifetime(text),
    )
    .action((id: string, flags: SetFlags) =>
      run(flags, (context, commands) => commands.runKeysSet(context, id, flags)),
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
    ['mailvet keys set 3f2a91c0 --credits 5000 --expires never', 'at any time, also for a key without limit'],
    ['mailvet keys revoke 3f2a91c0', 'by the id that the list shows'],
  ]);
}

const { name: nameLimits, plan: planLimits, credits: creditLimits } = limits;

function parseName(text: string): string {
  const name = text.trim();
  const isLine = new RegExp(nameLimits.pattern).test(name) && name !== '';
  if (isLine && name.length <= nameLimits.maxLength) return name;
  throw new InvalidArgumentError(`Allowed: one line of up to ${nameLimits.maxLength} characters.`);
}

function parsePlan(text: string): string {
  if (new RegExp(planLimits.pattern).test(text) && text.length <= planLimits.maxLength) return text;
  throw new InvalidArgumentError(
    `Allowed: up to ${planLimits.maxLength} letters, digits, hyphens, underscores and dots.`,
  );
}

const parseCredits = parseCount(creditLimits.minimum, creditLimits.maximum, ', or none');
