import { resolve } from 'node:path';
import { formatAmount } from '../../../model/amount.js';
import { type Bounce, bounceFields } from '../../../model/bounce.js';
import { Failure } from '../../../model/failure.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { OutcomeStats } from '../../../report/outcome-stats.js';
import { readInputs } from '../../../service/bounces/read-inputs.js';
import type { Context } from '../../context.js';
import {
  amountRead,
  type BounceCounts,
  emptyCounts,
  renderBounceCounts,
  renderOutcomes,
} from '../../render/bounces.js';
import type { Written } from '../../render/final-summary.js';
import { formatKind, openRowWriter } from '../../render/rows/formats.js';
import { addressLayout, type RowWriter } from '../../render/rows/row-writer.js';
import { type Output, openOutput, runWithOutput } from '../../results/output.js';
import { protectInput } from '../../terminal/output-target.js';
import { openProgressLine } from '../../terminal/progress.js';
import { ClosedPipe } from '../../terminal/terminal.js';
import { type BounceConsumer, type BouncesOptions, closeAll, openConsumers } from './bounce-consumers.js';

/** Reads bounces and writes a row for each failed recipient. */
export async function runBounces(context: Context, options: BouncesOptions): Promise<number> {
  const inputs = await inputsOf(context, options);
  const consumers = await openConsumers(context, options);
  try {
    const output = await openOutput(context, options.output, 'ndjson');
    const summary = await runWithOutput(context, output, () =>
      writeBounces(context, inputs, output, options, consumers),
    );
    const written: Written[] = [
      ...(output.path === null ? [] : [{ path: output.path, rows: summary.rowCount }]),
      ...(options.report === undefined ? [] : [{ path: options.report, rows: null }]),
    ];
    await showSummary(context, summary, output, written);
    return 0;
  } finally {
    await closeAll(consumers);
  }
}

async function inputsOf({ terminal }: Context, options: BouncesOptions) {
  const { paths, output, suppress, report, against, sent } = options;
  const { stdin } = terminal;
  if (paths.length === 0 && (stdin.isTty || stdin.isNullDevice)) {
    throw new Failure('usage', 'There is nothing to read.', {
      hint: 'Name an mbox, a Maildir, a mail log or a file of events (mailvet bounces inbox.mbox), or pipe one in.',
    });
  }
  const targets = [output.path, suppress ?? null, report ?? null].filter((path) => path !== null);
  const lists = [...paths, against ?? '-', sent ?? '-'].filter((path) => path !== '-');
  for (const path of lists) for (const target of targets) await protectInput(path, target);
  if (new Set(targets.map((target) => resolve(target))).size < targets.length) {
    throw new Failure('usage', '-o, --suppress and --report name the same file.', { hint: 'Give each its own file.' });
  }
  return paths.length === 0 ? [stdin.stream] : paths.map((path) => (path === '-' ? stdin.stream : path));
}

const batchSize = 200;

async function writeBounces(
  context: Context,
  inputs: Parameters<typeof readInputs>[0],
  output: Output,
  { output: { only, fields }, column, replyColumn }: BouncesOptions,
  consumers: readonly BounceConsumer[],
): Promise<BounceSummary> {
  const { signal } = context;
  const { sink, format, path } = output;
  const style = { ...sink, subject: 'list', fields: fields ?? defaultFields(format), path } as const;
  const writer = await openRowWriter(format, style);
  const counts = emptyCounts();
  const line = openProgressLine(context, { hidden: sink.isTty, isPlain: sink.isPipe === true });
  let batch: Bounce[] = [];
  let rowCount = 0;
  let isClosed = false;
  /** A reader that closes the pipe early, such as head, must not keep bounces from being added to a list. */
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (isClosed) return;
    await sink.write(bytes).catch((error: unknown) => {
      if (!(error instanceof ClosedPipe) || consumers.length === 0) throw error;
      isClosed = true;
    });
  };
  const flush = async (): Promise<void> => {
    const rows = formatKind(format) === 'text' ? batch.filter(({ address }) => address !== '') : batch;
    await write(encode(rows, writer, format));
    rowCount += rows.length;
    batch = [];
  };
  try {
    await write(writer.begin(addressLayout));
    const reading = { signal, column, replyColumn, onSkipped: (text: string) => context.warn(text) };
    for await (const { unit, readings } of readInputs(inputs, reading)) {
      counts.messages += readings.length;
      if (unit !== 'message') counts[`${unit}_count`] += readings.length;
      for (const item of readings) {
        if (item.type !== 'bounce') counts[`${item.type}_count`]++;
        else {
          for (const each of item.bounces) {
            const bounce = Object.assign(each, { source: item.source });
            counts[`${bounce.kind}_count`]++;
            counts.total++;
            for (const consumer of consumers) consumer.add(bounce, item.noticeId, unit === 'message');
            if (only?.has(bounce.kind) ?? bounce.kind !== 'delivered') batch.push(bounce);
          }
        }
      }
      const bounces = counts.total - counts.delivered_count;
      line.show(() => `${amountRead(counts)} read, ${formatAmount(bounces, 'bounce')}`);
      for (const consumer of consumers) await consumer.flush?.();
      if (batch.length >= batchSize) await flush();
      signal.throwIfAborted();
    }
    await flush();
    let outcomes: OutcomeStats | null = null;
    for (const consumer of consumers) outcomes = (await consumer.finish()) ?? outcomes;
    await write(await writer.end({ ...counts, ...(outcomes && { outcomes }) }));
    return { counts, outcomes, rowCount };
  } finally {
    await line.close();
  }
}

/** Plain output has one address per line. A screen shows what tells bounces apart. */
function defaultFields(format: Output['format']): readonly string[] | null {
  const kind = formatKind(format);
  if (kind === 'text') return null;
  return kind === 'screen' ? ['kind', 'address', 'sub_status', 'reply'] : bounceFields;
}

function encode(rows: readonly Bounce[], writer: RowWriter, format: Output['format']): Uint8Array {
  const kind = formatKind(format);
  const answers = rows.map((bounce): BulkAnswer => {
    // The place of a report without an address is all that a screen can show.
    const address = kind === 'screen' ? bounce.address || `in ${bounce.source}` : bounce.address;
    const result = { ...bounce, address, email: bounce.address, is_valid: false, confidence: 0 };
    return { result, duplicate: false };
  });
  return writer.rows(
    rows.map(({ address }) => ({ cells: [], email: address })),
    answers,
  );
}

interface BounceSummary {
  counts: BounceCounts;
  outcomes: OutcomeStats | null;
  rowCount: number;
}

/** Counts and written files on stderr, and verdicts against what happened on stdout if the rows are in a file. */
async function showSummary(
  context: Context,
  { counts, outcomes }: BounceSummary,
  { format, path }: Output,
  written: readonly Written[],
): Promise<void> {
  const { stderr, stdout } = context.terminal;
  if (counts.unreadable_count > 0) {
    const reports = formatAmount(counts.unreadable_count, 'report');
    context.warn(`${reports} could not be read; --only unreadable lists where.`);
  }
  const isShown = stderr.isTty || formatKind(format) === 'screen';
  if (!context.quiet && isShown) {
    const { renderFiles } = await import('../../render/final-summary.js');
    const files = renderFiles(written, stderr);
    await stderr.write(`${path === null ? '\n' : ''}${renderBounceCounts(counts, stderr)}${files}`);
  } else context.note(renderBounceCounts(counts, { ...stderr, columns: Number.MAX_SAFE_INTEGER }).trim());
  if (outcomes === null) return;
  if (!outcomes.knows_sent)
    context.note('Without --sent FILE or a mail log it is not known what was mailed, so there are no rates.');
  const screen = path === null ? stderr : stdout;
  if (!context.json && (path !== null || !context.quiet)) await screen.write(`\n${renderOutcomes(outcomes, screen)}`);
}
