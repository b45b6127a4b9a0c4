import { mapInOrder } from '../../../async/map-in-order.js';
import { exitNotAllValid } from '../../../model/failure.js';
import type { ValidationResult } from '../../../model/result.js';
import type { ValidationService } from '../../../model/service.js';
import { isComment } from '../../../rows/read/scan-lines.js';
import type { Context } from '../../context.js';
import type { OutputWishes } from '../../flags/output-flags.js';
import { openRowRenderer } from '../../render/rows/open-renderer.js';
import type { ListLayout } from '../../render/rows/rows.js';
import type { Output } from '../../terminal/output.js';
import { readLines } from '../../terminal/read-lines.js';

/** The addresses, and how their results are shown. */
export interface SeveralOptions {
  emails: readonly string[];
  output: OutputWishes;
  explain: boolean;
}

/** How many addresses are under way where nobody says. */
const usualConcurrency = 20;

/** Vets several addresses, or the lines of stdin, many at a time and one line each; 0 where all are valid. */
export async function validateSeveral(
  context: Context,
  service: ValidationService,
  { sink, format }: Output,
  { emails, explain, output: { only, fields } }: SeveralOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const fromStdin = emails.length === 0 || emails.includes('-');
  const chunks = fromStdin ? addressesIn(readLines(terminal.stdin.stream, signal)) : [emails];
  const renderer = await openRowRenderer(format === 'json' ? 'ndjson' : format, { ...sink, fields });
  const showEvidence =
    explain && format === 'table' ? (await import('../../render/result/evidence.js')).renderEvidence : null;
  const maxOpen = context.settings().concurrency ?? usualConcurrency;
  let status = 0;
  let answered = 0;
  await sink.write(renderer.begin?.(wholeAddress) ?? '');
  const answers = mapInOrder(chunks, (email) => service.validate(email, { explain, signal }), {
    maxOpen,
    maxAhead: maxOpen * 10,
    maxReady: maxOpen,
  });
  for await (const results of answers) {
    answered += results.length;
    for (const result of results) {
      if (!result.is_valid) status = exitNotAllValid;
      if (only !== null && !only.has(result.status)) continue;
      const row = { cells: [result.email], email: result.email };
      const evidence = showEvidence === null ? '' : `${showEvidence(result, sink)}\n`;
      await sink.write(renderer.row(row, { result, duplicate: false }) + evidence);
    }
  }
  if (answered === 0) context.note('No addresses were given.');
  return status;
}

async function* addressesIn(lines: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  for await (const chunk of lines) yield chunk.filter((line) => !isComment(line));
}

/** Addresses that come without other columns. */
const wholeAddress: ListLayout = { columns: ['email'], hasHeader: true, delimiter: ',' };

/** A single result in a format of rows. */
export async function renderAlone(
  result: ValidationResult,
  { sink, format }: Output,
  fields: readonly string[] | null,
): Promise<string> {
  const renderer = await openRowRenderer(format, { ...sink, fields });
  const { email } = result;
  const head = renderer.begin?.(wholeAddress) ?? '';
  return head + renderer.row({ cells: [email], email }, { result, duplicate: false });
}
