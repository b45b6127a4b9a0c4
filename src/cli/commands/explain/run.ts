import { Failure } from '../../../model/failure.js';
import type { RepliesToExplain } from '../../../service/diagnosis/reply-explanation.js';
import type { Context } from '../../context.js';
import { type CodeEntry, findCode, listCodes } from '../../render/codes/code-list.js';
import { readLines } from '../../terminal/read-lines.js';

interface ExplainOptions extends Omit<RepliesToExplain, 'text' | 'replyRules'> {
  code: string | null;
  /** `-`: from stdin. */
  reply: string | null;
  json: boolean;
}

const maxInputLength = 4 * 1024 * 1024;

/** Explains a code, every code, a provider, or the replies of a mail server. */
export async function runExplain(context: Context, options: ExplainOptions): Promise<number> {
  const { code, reply } = options;
  if (code !== null && reply !== null) {
    throw new Failure('usage', 'A code and --reply cannot be combined.', {
      hint: 'Use one of them: mailvet explain catch_all, or mailvet explain --reply "550 …"',
    });
  }
  // The reply itself, where the flag was forgotten.
  const given = reply ?? (code !== null && /^[2-5]\d\d[ -]/.test(code) ? code : null);
  if (given !== null) return runExplainReplies(context, { ...options, reply: given });
  const { random, postmaster, address } = options;
  const beside = { '--random': random, '--postmaster': postmaster, '--address': address === '' ? null : address };
  const needsReply = Object.entries(beside).find(([, value]) => value !== null)?.[0];
  if (needsReply !== undefined) {
    throw new Failure('usage', `${needsReply} goes with --reply.`, {
      hint: 'Example: mailvet explain --reply "550 5.1.1 No such user"',
    });
  }
  return explainCodes(context, code, options.json);
}

async function runExplainReplies(context: Context, options: ExplainOptions & { reply: string }): Promise<number> {
  const { stdout } = context.terminal;
  const text = options.reply === '-' ? await readStdin(context) : options.reply;
  const { stage, address, random, postmaster } = options;
  const { replyRules } = context.settings();
  const { explainReplies } = await import('../../../service/diagnosis/reply-explanation.js');
  const replies = await explainReplies({ text, stage, address, random, postmaster, replyRules });
  const { renderReply, replyToJson } = await import('../../render/codes/reply.js');
  for (const [index, explained] of replies.entries()) {
    context.signal.throwIfAborted();
    if (options.json || !stdout.isTty) {
      const pretty = stdout.isTty && replies.length === 1 ? 2 : 0;
      await stdout.write(`${JSON.stringify(replyToJson(explained), null, pretty)}\n`);
    } else {
      await stdout.write(`${index === 0 ? '' : '\n'}${renderReply(explained, stdout)}`);
    }
  }
  return 0;
}

async function explainCodes(context: Context, code: string | null, asJson: boolean): Promise<number> {
  const { stdout } = context.terminal;
  if (code !== null && /^[2-5](\d\d|\.\d{1,3}\.\d{1,3})$/.test(code.trim())) {
    throw new Failure('usage', `${code.trim()} is an SMTP reply code, and its meaning depends on the whole reply.`, {
      hint: `Give the whole reply: mailvet explain --reply "${code.trim()} …"`,
    });
  }
  const isCode = listCodes().some((entry) => entry.code === code);
  if (code !== null && !isCode && (await showProvider(context, code, asJson))) return 0;
  const found: CodeEntry | readonly CodeEntry[] = code === null ? listCodes() : findCode(code);
  if (asJson || !stdout.isTty) {
    await stdout.write(`${JSON.stringify(found, null, stdout.isTty ? 2 : 0)}\n`);
    return 0;
  }
  const { renderCode, renderCodes } = await import('../../render/codes/codes.js');
  await stdout.write('code' in found ? renderCode(found, stdout) : renderCodes(found, stdout));
  return 0;
}

/** Whether there is a provider of that name; then it was shown. */
async function showProvider({ terminal: { stdout } }: Context, asked: string, asJson: boolean): Promise<boolean> {
  const { explainProvider } = await import('../../../service/diagnosis/reply-explanation.js');
  const provider = explainProvider(asked);
  if (provider === null) return false;
  const { providerToJson, renderProvider } = await import('../../render/codes/provider.js');
  if (!asJson && stdout.isTty) await stdout.write(renderProvider(provider, stdout));
  else await stdout.write(`${JSON.stringify(providerToJson(provider), null, stdout.isTty ? 2 : 0)}\n`);
  return true;
}

async function readStdin({ terminal, signal }: Context): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for await (const chunk of readLines(terminal.stdin.stream, signal)) {
    length += chunk.reduce((sum, line) => sum + line.length, 0);
    if (length > maxInputLength) {
      throw new Failure('too_large', 'stdin holds more replies than can be read at once.', {
        hint: 'Give them in parts of up to 4 MB.',
      });
    }
    lines.push(...chunk);
  }
  return lines.join('\n');
}
