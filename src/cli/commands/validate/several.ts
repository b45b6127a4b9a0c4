import { localCallerWith } from '../../../async/caller.js';
import { askEach } from '../../../lists/ask-each.js';
import { askList } from '../../../lists/ask-list.js';
import type { Answered, Asker } from '../../../lists/pipeline.js';
import { formatAmount } from '../../../model/amount.js';
import { exitNotAllValid } from '../../../model/failure.js';
import type { ValidationResult } from '../../../model/result.js';
import type { RunProgress, ValidationService } from '../../../model/service.js';
import { emptySummary } from '../../../report/run-stats.js';
import type { Row } from '../../../rows/rows.js';
import { defaultConcurrency } from '../../../settings/definitions.js';
import type { Context } from '../../context.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import { renderProgress } from '../../render/progress.js';
import { type Format, formatKind, openRowWriter } from '../../render/rows/formats.js';
import { addressLayout } from '../../render/rows/row-writer.js';
import { openHashField } from '../../results/hash-field.js';
import { openProgressLine } from '../../terminal/progress.js';

/** The addresses, and how their results are shown. */
export interface SeveralOptions {
  emails: readonly string[];
  output: OutputOptions;
  explain: boolean;
}

/** Vets several addresses concurrently and writes one line for each, in order. Returns the exit status: 0 if all are valid. */
export async function validateSeveral(
  context: Context,
  service: ValidationService,
  format: Format,
  { emails, explain, output: { only, fields } }: SeveralOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const sink = terminal.stdout;
  const fromStdin = emails.length === 0 || emails.includes('-');
  // Lines are parsed as in `bulk`: in any encoding, with names around addresses or several in one line.
  const reading = { format: 'lines', mayBeEmpty: true, signal } as const;
  const lines = fromStdin
    ? await (await import('../../../rows/open-rows.js')).openRows({ stream: terminal.stdin.stream }, reading)
    : null;
  const writer = await openRowWriter(format, { ...sink, subject: 'addresses', fields });
  const withHash = await openHashField(fields);
  const showEvidence =
    explain && formatKind(format) === 'screen' ? (await import('../../render/result/card.js')).renderEvidence : null;
  const end = async (): Promise<void> => sink.write(await writer.end(emptySummary()));
  let status = 0;
  let answered = 0;
  await sink.write(writer.begin(addressLayout));
  // What is typed would be mixed with the line.
  const isTyped = lines !== null && terminal.stdin.isTty;
  const line = openProgressLine(context, { hidden: isTyped || !sink.isTty || context.json, belowRows: true });
  const total = lines === null ? emails.length : null;
  const showProgress = (settled: number): void =>
    line.show((elapsedMs, withBar) => {
      const progress = { answered: settled, total, rate: 0, leftMs: null };
      return renderProgress(progress, elapsedMs, terminal.stderr, { withBar });
    });
  const write = async ({ answers }: Answered<Row>): Promise<void> => {
    for (const { result, empty, unanswered } of answers) {
      if (empty || unanswered) continue;
      answered++;
      if (!result.is_valid) status = exitNotAllValid;
      if (only !== null && !only.has(result.status)) continue;
      const row = { cells: [result.email], email: result.email };
      await sink.write(writer.rows([row], withHash([{ result, duplicate: false }])));
      if (showEvidence !== null) await sink.write(`${showEvidence(result as ValidationResult, sink)}\n`);
    }
  };
  const source = { items: lines?.chunks ?? toRows(emails), from: null, close: async () => {} };
  try {
    showProgress(0);
    await askList<Row>(source, {
      asker: singleAsker(context, service, explain),
      sink: { write },
      caller: localCallerWith(signal),
      needsNetwork: true,
      onProgress: (progress: RunProgress) => showProgress(progress.answered()),
    });
  } catch (error) {
    if (answered > 0 && answered !== total)
      context.note(`Stopped after ${formatAmount(answered, 'address', 'addresses')}; the others were not checked.`);
    await end().catch(() => {});
    throw error;
  } finally {
    await line.close();
  }
  await end();
  // Only `bulk` has the flags that these sentences may name.
  const forBulk = (text: string): string => text.replace(/--input text|--encoding(?: [\w-]+)?/, '"mailvet bulk $&"');
  for (const text of lines?.warnings() ?? []) context.warn(forBulk(text));
  for (const text of lines?.notes() ?? []) context.note(forBulk(text));
  if (answered === 0) context.note('No addresses were given.');
  return status;
}

async function* toRows(emails: readonly string[]): AsyncGenerator<Row[]> {
  yield emails.map((email) => ({ cells: [email], email, isAddress: true }));
}

/** A back end that is asked for one address at a time, as `validate` does. */
function singleAsker(context: Context, service: ValidationService, explain: boolean): Asker {
  const { concurrency, mode } = context.settings();
  const isPaid = mode !== 'local';
  const maxOpen = concurrency ?? (isPaid ? defaultConcurrency.requests : defaultConcurrency.addresses);
  return {
    scope: mode,
    isPaid,
    capacity: maxOpen * 10,
    greylistWaitMs: 0,
    ...(service.isResolverDown && { isResolverDown: service.isResolverDown }),
    ask: (questions) =>
      askEach(questions, {
        answer: async (question) => {
          const result = await service.validate(question.email, { explain, signal: context.signal });
          return { question, result };
        },
        maxOpen: () => maxOpen,
        signal: context.signal,
        // After an error, open answers are still written, since they may be charged.
        drains: true,
      }),
  };
}
