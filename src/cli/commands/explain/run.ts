import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import * as render from '../../render/explain.js';
import { printRecord, printRecords } from '../../results/print-records.js';
import { readLines } from '../../terminal/read-lines.js';

/** The flags of `explain`. */
export type ExplainFlags = FormatFlags & {
  /** `-` reads stdin. */
  reply?: string;
};

const maxInputLength = 4 * 1024 * 1024;

/** Explains a code, every code, or the replies of a mail server. */
export async function runExplain(context: Context, code: string | undefined, flags: ExplainFlags): Promise<number> {
  if (code !== undefined && flags.reply !== undefined) {
    throw new Failure('usage', 'A code and --reply cannot be combined.', {
      hint: 'Give either a code or --reply: mailvet explain catch_all',
    });
  }
  // The argument is a reply if --reply was forgotten.
  const reply = flags.reply ?? (code !== undefined && /^[2-5]\d\d[ -]/.test(code) ? code : undefined);
  return reply === undefined ? explainCodes(context, code, flags) : explainReplies(context, reply, flags);
}

async function explainReplies(context: Context, reply: string, flags: ExplainFlags): Promise<number> {
  const { stdout } = context.terminal;
  const text = reply === '-' ? await readStdin(context) : reply;
  const { replyRules } = context.settings();
  const service = await import('../../../service/diagnosis/reply-explanation.js');
  const { replies, skipped } = await service.explainReplies(text, replyRules);
  const rows = replies.map(render.replyToJson);
  const screen = (): string => replies.map((explained) => render.renderReply(explained, stdout)).join('\n');
  const [only] = rows;
  const lines = rows.length === 1 ? only : rows;
  await printRecords(context, flags, { rows, document: lines, screen });
  const [first] = skipped;
  if (first !== undefined) {
    const lines = `${formatAmount(skipped.length, 'line')} ${skipped.length === 1 ? 'was' : 'were'} skipped`;
    context.warn(
      `${lines}: not an SMTP reply. The first is line ${first.number}: ${JSON.stringify(first.text.slice(0, 80))}`,
    );
  }
  return 0;
}

async function explainCodes(context: Context, code: string | undefined, flags: FormatFlags): Promise<number> {
  const { stdout } = context.terminal;
  if (code !== undefined && /^[2-5](\d\d|\.\d{1,3}\.\d{1,3})$/.test(code.trim())) {
    throw new Failure('usage', `${code.trim()} is an SMTP reply code, and its meaning depends on the whole reply.`, {
      hint: `Give the whole reply: mailvet explain --reply "${code.trim()} …"`,
    });
  }
  const entries = code === undefined ? render.listCodes() : render.findCode(code);
  if ('code' in entries) await printRecord(context, flags, entries, () => render.renderCode(entries, stdout));
  else {
    const screen = (): string => render.renderCodes(entries, stdout);
    await printRecords(context, flags, { rows: entries, document: { codes: entries }, screen });
  }
  return 0;
}

async function readStdin({ terminal, signal }: Context): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for await (const chunk of readLines(terminal.stdin.stream, signal)) {
    length += chunk.reduce((sum, line) => sum + line.length, 0);
    if (length > maxInputLength) {
      throw new Failure('too_large', 'The replies on stdin are larger than 4 MB.', {
        hint: 'Give them in parts.',
      });
    }
    lines.push(...chunk);
  }
  return lines.join('\n');
}
