import { confirm, isCancel, password, select, text } from '@clack/prompts';
import { Failure } from '../../model/failure.js';

/** Asks for a line of text. Prompts use stderr, since stdout is for data. `validate` returns the problem with a value. */
export async function askText(message: string, validate: (value: string) => string | undefined): Promise<string> {
  const answer = await text({
    message,
    output: process.stderr,
    validate: (value) => validate((value ?? '').trim()),
  });
  return requireAnswer(answer).trim();
}

/** Asks for a key, which is not shown. */
export async function askSecret(message: string): Promise<string> {
  return (await askPassword(message, 'A key is needed.')).trim();
}

/** Asks for a password, which is not shown. Blanks at its ends are part of it. */
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

/** Asks for yes or no; Enter takes `initialValue`. */
export async function askYes(message: string, initialValue = true): Promise<boolean> {
  return requireAnswer(await confirm({ message, initialValue, output: process.stderr }));
}

function requireAnswer<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>;
  throw new Failure('interrupted', 'Canceled; nothing was changed.');
}
