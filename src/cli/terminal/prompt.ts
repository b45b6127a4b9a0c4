import type { Readable, Writable } from 'node:stream';
import { confirm, isCancel, password, select, text } from '@clack/prompts';
import { Failure } from '../../model/failure.js';

/** Asks for a line of text. Prompts use stderr, since stdout is for data. `validate` returns the problem with a value. */
export async function askText(
  message: string,
  validate: (value: string) => string | undefined,
  streams: { input?: Readable; output: Writable } = { output: process.stderr },
): Promise<string> {
  const answer = await text({ ...streams, message, validate: (value) => validate((value ?? '').trim()) });
  return requireAnswer(answer).trim();
}

/** Asks for a password or a key, which is not shown. Blanks at its ends are part of it. */
export async function askPassword(message: string, messageIfEmpty: string): Promise<string> {
  const validate = (value: string | undefined): string | undefined =>
    (value ?? '').trim() === '' ? messageIfEmpty : undefined;
  return requireAnswer(await password({ message, output: process.stderr, mask: '•', validate }));
}

/** Asks for one of several choices; returns its index. */
export async function askChoice(message: string, labels: readonly string[], initialIndex: number): Promise<number> {
  const options = labels.map((label, value) => ({ value, label }));
  return requireAnswer(
    await select({ message, options, initialValue: initialIndex, maxItems: 12, output: process.stderr }),
  );
}

/** Asks for yes or no; Enter means yes. */
export async function askYes(message: string): Promise<boolean> {
  return requireAnswer(await confirm({ message, initialValue: true, output: process.stderr }));
}

/** Asks before something is lost: only a whole line "y" or "yes" is a yes. A command typed ahead is not, whatever its letters. */
export async function askToDelete(message: string, streams?: Parameters<typeof askText>[2]): Promise<boolean> {
  const validate = (line: string): string | undefined =>
    /^(?:y|yes|n|no|)$/i.test(line) ? undefined : 'Answer y or n.';
  return /^y/i.test(await askText(`${message} (y/N)`, validate, streams));
}

function requireAnswer<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>;
  throw new Failure('interrupted', 'Canceled; nothing was changed.');
}
