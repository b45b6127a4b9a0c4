import { Failure } from '../../../model/failure.js';
import type { Context } from '../../context.js';
import { canAsk } from '../../terminal/confirm-deletion.js';
import { readLines } from '../../terminal/read-lines.js';

/** Sets the password of the web application. */
export async function runAdminPassword(context: Context, { fromStdin }: { fromStdin: boolean }): Promise<number> {
  const password = fromStdin ? await readPassword(context) : await askTwice(context);
  await (await context.keys()).setAdminPassword(password);
  context.note('The password is set. All sessions were signed out.');
  return 0;
}

async function readPassword({ terminal, signal }: Context): Promise<string> {
  for await (const [line] of readLines(terminal.stdin.stream, signal, { keepBlanks: true }))
    if (line !== undefined) return line;
  throw new Failure('usage', 'There is no password on stdin.');
}

async function askTwice(context: Context): Promise<string> {
  if (!canAsk(context)) {
    throw new Failure('usage', 'There is no terminal to ask for the password.', { hint: 'Pipe it in with --stdin.' });
  }
  const { askPassword } = await import('../../terminal/prompt.js');
  const password = await askPassword('New password', 'A password is needed.');
  if (password === (await askPassword('Repeat the password', 'A password is needed.'))) return password;
  throw new Failure('usage', 'The two passwords differ; nothing was changed.');
}
