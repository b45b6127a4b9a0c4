import { confirm, isCancel, password, select, text } from '@clack/prompts';
import { Failure } from '../../model/failure.js';

/** Asks for a line of text on the terminal, on stderr so that stdout stays data. */
export async function askText(message: string, complain: (value: string) => string | undefined): Promise<string> {
  return orInterrupted(
    await text({ message, output: process.stderr, validate: (value) => complain((value ?? '').trim()) }),
  );
}

/** Asks for a secret, which is not shown. */
export async function askSecret(message: string, missing = 'A key is needed.'): Promise<string> {
  const complain = (value: string | undefined): string | undefined =>
    (value ?? '').trim() === '' ? missing : undefined;
  return orInterrupted(await password({ message, output: process.stderr, mask: '•', validate: complain }));
}

/** Lets somebody choose with the arrows; gives the index. */
export async function askChoice(message: string, labels: readonly string[], first: number): Promise<number> {
  const options = labels.map((label, value) => ({ value, label }));
  return orCanceled(await select({ message, options, initialValue: first, maxItems: 12, output: process.stderr }));
}

/** Asks for a yes or a no. */
export async function askYes(message: string): Promise<boolean> {
  return orCanceled(await confirm({ message, output: process.stderr }));
}

function orInterrupted(answer: string | symbol): string {
  return orCanceled(answer).trim();
}

function orCanceled<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>;
  throw new Failure('interrupted', 'Canceled; nothing was changed.');
}
