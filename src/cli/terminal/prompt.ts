import { isCancel, password, text } from '@clack/prompts';
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

function orInterrupted(answer: string | symbol): string {
  if (!isCancel(answer)) return (answer as string).trim();
  throw new Failure('interrupted', 'Canceled; nothing was changed.');
}
