import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addServiceFlags, addSettingFlags, collectValues, examples, parseCount } from '../../flags/flags.js';
import type { McpFlags } from './run.js';

/** `mcp`: the tools of mailvet for an AI agent. */
export function defineMcp(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('mcp')
    .summary('serve AI agents over the Model Context Protocol')
    .description(
      'Serves the tools validate_email, validate_emails, explain_reply, check_list and job_status on stdin and stdout.\n' +
        'An agent starts the server, which exits when stdin closes. The agent cannot raise the limits.',
    )
    .option(
      '--allow-folder <path>',
      'a folder whose lists check_list may read; repeatable (default: none)',
      collectValues,
    )
    .option('--max-addresses <n>', 'maximum number of addresses per session', parseCount(0), 1_000);
  addServiceFlags(addSettingFlags(command, ['level']))
    .addHelpText('after', help)
    // An agent does not wait for greylisting, unless the user says so.
    .action((flags: McpFlags & { set?: string[] }) =>
      run({ ...flags, set: ['greylist_wait=0', ...(flags.set ?? [])] }, (context, { runMcp }) =>
        runMcp(context, flags),
      ),
    );
}

const help = `${examples(
  ['mailvet mcp', 'the whole check, SMTP included'],
  ['mailvet mcp --level dns', 'never asks a mail server'],
  ['mailvet mcp --allow-folder ~/lists --max-addresses 200', 'may read lists of one folder'],
)}

Exit status: 0 the agent has ended, 2 usage, 3 key or credits, 6 storage.`;
