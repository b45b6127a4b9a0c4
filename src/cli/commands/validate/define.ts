import type { Command } from 'commander';
import type { Launch } from '../../context.js';
import { addFormatFlags, addPickFlags, addServiceFlags, addSettingFlags, examples } from '../../flags/flags.js';
import { readOutputFlags } from '../../flags/output-flags.js';
import { runValidate } from './run.js';

/** `validate <email…>`: one address in detail, several one line each. */
export function defineValidate(program: Command, launch: Launch): void {
  const command = program
    .command('validate')
    .summary('vet one address, or several')
    .description(
      'Vets addresses. One gives a card with the reasons; several, or lines from stdin, give one line each.\n' +
        'A pipe gets JSON: one address one object, several one object per line.',
    )
    .argument('[email...]', 'addresses; - reads one per line from stdin')
    .option('--explain', 'show the evidence: DNS answers, dialogue with the mail server, the rule that fired')
    .option('--get', 'remote only: ask by GET instead of POST');
  addSettingFlags(command, ['level', 'timeoutMs'], {
    timeoutMs: 'maximum wait for one address (default: 30s; remote: 1m)',
  });
  addServiceFlags(addPickFlags(addFormatFlags(command)), { isBrief: false })
    .addHelpText('after', help)
    .action((emails: string[], flags: { explain?: boolean; get?: boolean }) =>
      launch(flags, async (context) => {
        const output = await readOutputFlags(flags);
        return runValidate(context, { emails, output, explain: flags.explain === true, useGet: flags.get === true });
      }),
    );
}

const help = `${examples(
  ['mailvet validate ada@python.org', 'a card, on a terminal'],
  ['mailvet validate ada@python.org --explain', 'with all the evidence'],
  ['mailvet validate ada@python.org --level syntax --json', 'offline, for a script'],
  ['mailvet validate a@example.org b@example.org --format csv', 'several'],
  ['tail -f new.txt | mailvet validate - --format ndjson', 'as they come'],
)}

Exit status: 0 all valid, 1 some address is not, 2 usage, 3 key or credits,
4 network, 6 storage, 130 interrupted.`;
