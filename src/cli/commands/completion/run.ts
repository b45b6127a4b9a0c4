import type { Command } from 'commander';
import type { Context } from '../../context.js';
import { renderBash } from './bash.js';
import { completionPoints } from './completion-points.js';
import { renderFish } from './fish.js';
import { renderZsh } from './zsh.js';

const renderers = { bash: renderBash, zsh: renderZsh, fish: renderFish };

/** The shells that have a completion script. */
export type Shell = keyof typeof renderers;

/** Prints the completion script of a shell. */
export async function runCompletion(context: Context, program: Command, shell: Shell): Promise<number> {
  await context.terminal.stdout.write(renderers[shell](completionPoints(program)));
  return 0;
}
