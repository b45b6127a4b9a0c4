import type { Readable } from 'node:stream';
import { drainOnFailure } from '../../../async/drain-on-failure.js';
import { LruMap } from '../../../async/lru-map.js';
import { mapInOrder } from '../../../async/map-in-order.js';
import { formatAmount } from '../../../model/amount.js';
import { exitNotAllValid } from '../../../model/failure.js';
import { NetworkHealth } from '../../../model/network-health.js';
import type { ValidationResult } from '../../../model/result.js';
import type { ValidationService } from '../../../model/service.js';
import { emptySummary } from '../../../report/run-stats.js';
import type { Row, RowSource } from '../../../rows/rows.js';
import { keyOfAddress } from '../../../service/dedupe/mailbox-key.js';
import { defaultConcurrency } from '../../../settings/definitions.js';
import type { Context } from '../../context.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import { doneShare, renderProgress } from '../../render/progress.js';
import { formatKind, openRowWriter } from '../../render/rows/formats.js';
import { addressLayout } from '../../render/rows/row-writer.js';
import { openHashField } from '../../results/hash-field.js';
import type { Output } from '../../results/output.js';
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
  { sink, format, path }: Output,
  { emails, explain, output: { only, fields } }: SeveralOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const fromStdin = emails.length === 0 || emails.includes('-');
  const lines = fromStdin ? await openLines(terminal.stdin.stream, signal) : null;
  const writer = await openRowWriter(format, { ...sink, subject: 'addresses', fields, path });
  const withHash = await openHashField(fields);
  const showEvidence =
    explain && formatKind(format) === 'screen' ? (await import('../../render/result/card.js')).renderEvidence : null;
  const { concurrency, mode } = context.settings();
  const maxOpen = concurrency ?? (mode === 'remote' ? defaultConcurrency.requests : defaultConcurrency.addresses);
  const end = async (): Promise<void> => sink.write(await writer.end(emptySummary()));
  const health = new NetworkHealth(service.isResolverDown);
  let status = 0;
  let answered = 0;
  await sink.write(writer.begin(addressLayout));
  // What is typed would be mixed with the line.
  const isTyped = lines !== null && terminal.stdin.isTty;
  const line = openProgressLine(context, { hidden: isTyped || !sink.isTty || context.json, belowRows: true });
  /** Including answers after one that is awaited. */
  let settled = 0;
  const showProgress = (): void => {
    const progress = { answered: settled, total: lines === null ? emails.length : null, rate: 0, leftMs: null };
    line.show((elapsedMs, withBar) => ({
      line: renderProgress(progress, elapsedMs, terminal.stderr, { withBar }),
      share: doneShare(progress),
    }));
  };
  const chunks = lines === null ? [emails] : addressesIn(lines.chunks);
  const asked = new LruMap<Promise<ValidationResult>>({ maxEntries: 100_000 });
  const ask = drainOnFailure(async (email: string) => {
    if (mode !== 'remote') return service.validate(email, { explain, signal });
    // A service charges for each request.
    const key = keyOfAddress(email);
    const answer = asked.get(key) ?? service.validate(email, { explain, signal });
    asked.set(key, answer);
    return { ...(await answer), email };
  });
  const answers = mapInOrder<string, ValidationResult | null>(chunks, ask, {
    maxOpen,
    maxAhead: maxOpen * 10,
    maxReady: maxOpen,
    // After an error, later answers are still written, since they may be charged.
    unanswered: () => null,
    onSettled: () => {
      settled++;
      showProgress();
    },
  });
  try {
    showProgress();
    for await (const results of answers) {
      for (const result of results) {
        if (result === null) continue;
        answered++;
        health.count(result);
        if (!result.is_valid) status = exitNotAllValid;
        if (only !== null && !only.has(result.status)) continue;
        const row = { cells: [result.email], email: result.email };
        await sink.write(writer.rows([row], withHash([{ result, duplicate: false }])));
        if (showEvidence !== null) await sink.write(`${showEvidence(result, sink)}\n`);
      }
    }
  } catch (error) {
    if (answered > 0)
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
  const trouble = health.trouble();
  if (trouble !== null) throw trouble;
  return status;
}

/** Lines are parsed as in `bulk`: in any encoding, with names around addresses or several in one line. */
async function openLines(stream: Readable, signal: AbortSignal): Promise<RowSource> {
  const { openRows } = await import('../../../rows/open-rows.js');
  return openRows({ stream }, { format: 'lines', mayBeEmpty: true, signal });
}

async function* addressesIn(chunks: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly string[]> {
  for await (const rows of chunks) yield rows.map(({ email }) => email);
}
