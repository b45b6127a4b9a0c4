import type { Command } from 'commander';
import type { Context } from '../../context.js';
import { renderBash } from './bash.js';
import { completionPoints } from './completion-points.js';
import { renderFish } from './fish.js';
import { renderZsh } from './zsh.js';

/** Prints the completion script of a shell, made from the tree of commands. */
export async function runCompletion(
  context: Context,
  program: Command,
  shell: 'bash' | 'zsh' | 'fish',
): Promise<number> {
  const render = { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell];
  await context.terminal.stdout.write(render(completionPoints(program)));
  return 0;
}
