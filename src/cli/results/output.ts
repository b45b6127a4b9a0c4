import type { OutputOptions } from '../flags/output-flags.js';
import type { Format } from '../render/rows/formats.js';
import type { KeptAs } from '../terminal/file-sink.js';
import type { Sink, Terminal } from '../terminal/terminal.js';

/** Where output goes when no file is named, and how a word is said beside it. */
interface OutputContext {
  readonly terminal: Terminal;
  note(text: string): void;
  /** The same, also with --quiet. */
  warn(text: string): void;
}

/** Where results go and in which format. */
export interface Output {
  sink: Sink;
  format: Format;
  /** The file that it is put in place as; null where there is none. */
  path: string | null;
  /** Puts a written file in its place. */
  finish(): Promise<void>;
  /** Keeps what was written beside the place it was meant for, and says where; null where there is nothing to keep. */
  abandon(ending: KeptAs): Promise<string | null>;
}

/** Opens stdout or the file asked for. `piped` is the format of an output that is no terminal. */
export async function openOutput(context: OutputContext, wishes: OutputOptions, piped: Format): Promise<Output> {
  if (wishes.path === null) {
    const { stdout } = context.terminal;
    const format = wishes.format ?? (stdout.isTty ? 'table' : piped);
    return { sink: stdout, format, path: null, finish: async () => {}, abandon: async () => null };
  }
  const { openFileSink } = await import('../terminal/file-sink.js');
  const { hasPlace, ...file } = await openFileSink(wishes.path, { backup: wishes.inPlace === true });
  return { ...file, format: wishes.format ?? piped, path: hasPlace ? wishes.path : null };
}

/** Fails, before any work is done, where an output cannot be written or is the list itself; `input` is a path, or null for stdin. */
export async function checkOutput(context: OutputContext, wishes: OutputOptions, input: string | null): Promise<void> {
  const { stdin, stdout } = context.terminal;
  const { findTarget, protectInput } = await import('../terminal/output-target.js');
  if (wishes.path !== null) await findTarget(wishes.path);
  const list = input ?? stdin.descriptor;
  const target = wishes.path ?? stdout.descriptor;
  if (list === undefined || target === undefined || wishes.inPlace === true) return;
  await protectInput(list, target);
}

/**
 * Runs work that writes to an output; the file is put in place only when all of it is written and `rejects` has nothing against
 * it. What it says is told, also with --quiet.
 */
export async function writeThrough<Answer>(
  context: OutputContext,
  output: Pick<Output, 'finish' | 'abandon'>,
  work: () => Promise<Answer>,
  rejects: (answer: Answer) => readonly string[] = () => [],
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await work();
  } catch (thrown) {
    const kept = await output.abandon('partial');
    if (kept !== null) context.note(`What was finished is in ${kept}.`);
    throw thrown;
  }
  const reasons = rejects(answer);
  for (const text of reasons) context.warn(text);
  if (reasons.length === 0) {
    await output.finish();
    return answer;
  }
  const kept = await output.abandon('rejected');
  if (kept !== null) context.warn(`The output is in ${kept}, and what was there before stays as it was.`);
  return answer;
}
