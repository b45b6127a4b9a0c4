import type { Asker, ListService, Question, Reply } from '../../src/lists/pipeline.js';
import { Failure } from '../../src/model/failure.js';
import type { ValidationResult } from '../../src/model/result.js';
import type { EmailChunks, ValidationService } from '../../src/model/service.js';

/** A full result with the fields that a test sets. */
export function resultOf(email: string, change: Partial<ValidationResult> = {}): ValidationResult {
  const status = change.status ?? 'valid';
  return {
    email,
    status,
    sub_status: '',
    confidence: 0.95,
    safe_to_send: status === 'valid',
    is_valid: status === 'valid',
    details: {
      syntax_valid: true,
      dns_valid: true,
      smtp_valid: true,
      smtp_code: 250,
      domain: email.slice(email.indexOf('@') + 1),
      provider: '',
      is_disposable: false,
      is_role_based: false,
      has_spf: true,
      has_dmarc: false,
    },
    catchall: { is_catchall: false, confidence: 0.9 },
    ai_enhancement: { used: false, method: null },
    performance: { response_time_ms: 3 },
    metadata: {
      timestamp: 1_700_000_000.5,
      plan_tier: 'local',
      features_used: { catchall_detection: true, ai_enhancement: false },
    },
    reasons: [],
    did_you_mean: null,
    ...change,
  };
}

/** The verdict is the local part: `invalid@…` is invalid. */
function verdictByName(email: string): ValidationResult {
  const local = email.split('@')[0] ?? '';
  const isStatus = ['invalid', 'risky', 'unknown'].includes(local);
  return resultOf(email, isStatus ? { status: local, sub_status: `${local}_for_test` } : {});
}

/** A back end without jobs. */
export function fakeService(change: Partial<ListService> = {}, verdict = verdictByName): ListService {
  const seen = new Set<string>();
  const unsupported = async (): Promise<never> => {
    throw new Failure('unsupported', 'The fake has no jobs.');
  };
  return {
    validate: async (email) => verdict(email),
    validateMany: async function* (chunks) {
      for await (const emails of chunks) {
        yield emails.map((email) => {
          const duplicate = seen.has(email);
          seen.add(email);
          return { result: verdict(email), duplicate };
        });
      }
    },
    asker: async () =>
      change.validateMany === undefined ? fakeAsker({ judge: verdict }) : askerOf(change.validateMany),
    previewUpload: unsupported,
    confirmUpload: unsupported,
    listJobs: unsupported,
    getJob: unsupported,
    jobResults: unsupported,
    cancelJob: unsupported,
    deleteJob: unsupported,
    resumeJob: unsupported,
    close: async () => {},
    ...change,
  };
}

/** A back end for lists that answers nothing, but for what is given. */
export function fakeAsker(change: Partial<Asker> = {}): Asker {
  return {
    scope: 'test',
    isPaid: false,
    capacity: 5_000,
    greylistWaitMs: 0,
    // biome-ignore lint/correctness/useYield: it has no answers
    ask: async function* () {
      throw new Error('this test asks nothing');
    },
    ...change,
  };
}

/** A back end for lists that passes each batch of questions on. */
export function askerOf(validateMany: ValidationService['validateMany']): Asker {
  return fakeAsker({
    ask: async function* (questions, { caller: { signal } }) {
      const open: Question[] = [];
      async function* emails(): AsyncGenerator<string[]> {
        for await (const batch of questions) {
          open.push(...batch);
          yield batch.map(({ email }) => email);
        }
      }
      const chunks: EmailChunks = emails();
      for await (const answers of validateMany(chunks, signal ? { signal } : {})) {
        yield answers.flatMap(({ result, charged, leftOut, unanswered }): Reply[] => {
          const question = open.shift();
          if (question === undefined || unanswered) return [];
          return [{ question, result, ...(charged === false && { charged }), ...(leftOut && { leftOut }) }];
        });
      }
    },
  });
}
