import type { Level } from '../../../model/evidence.js';
import { Failure } from '../../../model/failure.js';
import { type BulkAnswer, type BulkItem, countedAs, type ValidationResult } from '../../../model/result.js';
import type { ValidationService } from '../../../model/service.js';
import { explainSubStatus } from '../../../model/text/sentences.js';
import { openRows } from '../../../rows/open-rows.js';
import type { RepliesToExplain } from '../../../service/diagnosis/reply-explanation.js';
import { replyToJson } from '../../render/explain.js';
import { openAllowedFile } from './allowed-file.js';
import type { schemas } from './schemas.js';

/** The signal and the progress of one call. */
export interface ToolCall {
  signal: AbortSignal;
  onProgress(done: number, isLast?: boolean): Promise<void>;
}

interface ToolSession {
  service(): Promise<ValidationService>;
  folders: readonly string[];
  replyRules: string | null;
  /** Addresses that it may still check. */
  budgetLeft: number;
}

type Output = Record<string, unknown>;
type Tool = { description: string; run(args: never, call: ToolCall): Promise<Output> };

const maxResults = 100;
const openCauseAdvice = 'validate_email asks the mail server, also for a random mailbox, and may find the cause.';
const maxUnpackedBytes = 256 * 1024 * 1024;

/** The tools, with the text by which an agent chooses. Arguments have passed their schema. */
export function createTools(session: ToolSession): Record<keyof typeof schemas, Tool> {
  return {
    validate_email: {
      description: 'Check whether an email address exists and is safe to send to, before you write to it or store it.',
      run: async ({ email, ...level }: { email: string; level?: Level }, { signal }) => {
        spend(session, 1);
        const result = await (await session.service()).validate(email, { explain: true, signal, ...level });
        return { result: toResult(result), budget_left: session.budgetLeft };
      },
    },
    validate_emails: {
      description: 'Check up to 100 email addresses at once. For a file, use check_list.',
      run: async ({ emails, ...level }: { emails: string[]; level?: Level }, call) => {
        spend(session, emails.length);
        const service = await session.service();
        const answers = service.validateMany([emails], { explain: true, signal: call.signal, ...level });
        return { ...(await collect(session, answers, call, () => true)), is_complete: true };
      },
    },
    explain_reply: {
      description: 'Explain the SMTP reply of a mail server, as in a bounce or a log. Nothing is sent.',
      run: async ({ reply, stage = 'rcpt' }: { reply: string; stage?: RepliesToExplain['stage'] }) => {
        const { explainReplies } = await import('../../../service/diagnosis/reply-explanation.js');
        const { replies } = await explainReplies({ text: reply, stage, replyRules: session.replyRules });
        return {
          explanations: replies.map((each) => {
            const { text, ...explained } = replyToJson(each);
            // The tool has no flags for the replies to other mailboxes.
            const isOpen = each.vague && !each.hasClearCause;
            return { ...explained, ...(isOpen && { advice: openCauseAdvice }), untrusted_text: text };
          }),
        };
      },
    },
    check_list: {
      description:
        'Check the addresses of a file (CSV, lines, JSON, Excel) in a folder that the user allows. Returns counts, and the first 100 addresses that are not valid. The file is not changed.',
      run: (args: { path: string; column?: string; level?: Level }, call) => checkList(session, args, call),
    },
    job_status: {
      description: 'The progress of a background list (a job) by its id, or of the latest ones. Starts nothing.',
      run: async ({ id }: { id?: string }, { signal }) => {
        const service = await session.service();
        const latest = async () => (await service.listJobs({ skip: 0, limit: 10 }, { signal })).jobs;
        const jobs = id === undefined ? await latest() : [await service.getJob(id, { signal })];
        return {
          jobs: jobs.map(({ id, status, filename = '', total = 0, processed = 0 }) => {
            return { id, status, untrusted_filename: filename, total, processed };
          }),
        };
      },
    },
  };
}

async function checkList(
  session: ToolSession,
  { path, column, ...level }: { path: string; column?: string; level?: Level },
  call: ToolCall,
): Promise<Output> {
  const { signal } = call;
  const service = await session.service();
  const stream = (await openAllowedFile(path, session.folders)).createReadStream();
  const options = { signal, maxBytes: maxUnpackedBytes, ...(column !== undefined && { column }) };
  const source = await openRows({ stream, name: 'the file' }, options);
  let isComplete = true;
  async function* emails(): AsyncGenerator<string[]> {
    for await (const rows of source.chunks) {
      const found = rows.map(({ email }) => email).filter((email) => email !== '');
      const paid = found.slice(0, session.budgetLeft);
      spend(session, paid.length);
      yield paid;
      isComplete = paid.length === found.length;
      if (!isComplete) return;
    }
  }
  try {
    const answers = service.validateMany(emails(), { explain: true, signal, ...level });
    const collected = await collect(session, answers, call, ({ status }) => status !== 'valid');
    return { ...collected, is_complete: isComplete };
  } finally {
    await source.close();
  }
}

/** Counts all answers, and keeps the first results that are wanted. */
async function collect(
  session: ToolSession,
  answers: AsyncIterable<readonly BulkAnswer[]>,
  { onProgress }: ToolCall,
  isWanted: (result: BulkItem) => boolean,
): Promise<Output> {
  const counts: Record<string, number> = {};
  const sub_statuses: Record<string, number> = {};
  const results: Output[] = [];
  let addresses = 0;
  let results_left_out = 0;
  for await (const chunk of answers) {
    for (const { result, duplicate } of chunk) {
      addresses++;
      increment(counts, countedAs(result.status, duplicate));
      if (!duplicate && 'sub_status' in result) increment(sub_statuses, result.sub_status || 'valid');
      if (!isWanted(result)) continue;
      if (results.length < maxResults) results.push(toResult(result));
      else results_left_out++;
    }
    await onProgress(addresses);
  }
  await onProgress(addresses, true);
  return { addresses, counts, sub_statuses, results, results_left_out, budget_left: session.budgetLeft };
}

/** The part of a result that an agent needs. */
function toResult(result: BulkItem | ValidationResult): Output {
  const { email, status, confidence } = result;
  const full: Partial<ValidationResult> = result;
  const { sub_status = '', safe_to_send = false, reasons = [], did_you_mean = null, evidence } = full;
  const { means, advice } = explainSubStatus(sub_status, status);
  const verdict = { email, status, sub_status, confidence, safe_to_send, means, advice, reasons, did_you_mean };
  const reply = evidence?.mailbox?.reply ?? null;
  return reply === null ? verdict : { ...verdict, mail_server_reply: { code: reply.code, untrusted_text: reply.text } };
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function spend(session: ToolSession, addresses: number): void {
  if (addresses > session.budgetLeft) {
    throw new Failure('no_credits', `The budget of this session has ${session.budgetLeft} addresses left.`, {
      hint: 'The user sets it with --max-addresses.',
    });
  }
  session.budgetLeft -= addresses;
}
