import type { Command } from 'commander';
import type { Launch } from '../../context.js';
import { addCommonFlags, examples } from '../../flags/flags.js';

/** `logout`: forgets the stored key and goes back to the bundled engine. */
export function defineLogout(program: Command, launch: Launch): void {
  const command = program
    .command('logout')
    .summary('forget the stored key, and use the bundled engine')
    .description(
      'Forgets the stored key and goes back to the bundled engine. The address of the service stays stored.',
    );
  addCommonFlags(command);
  command.addHelpText('after', examples(['mailvet logout', 'back to the bundled engine']));
  command.action((flags: Record<string, unknown>) =>
    launch(flags, async (context) => (await import('./run.js')).runLogout(context)),
  );
}
