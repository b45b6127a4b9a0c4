import { LruMap } from '../../async/lru-map.js';
import type { Semaphore } from '../../async/semaphore.js';
import type { ValidationResult } from '../../model/result.js';

/** What was asked for in a run, so that a mailbox that comes again is not asked for again. */
interface ResultCache {
  /** An answer that is under way, to be repeated for the same mailbox. */
  track(key: string, answer: Promise<ValidationResult>): Promise<ValidationResult>;
  /** What was answered for the mailbox, or will be, under the spelling asked for; null where nobody knows. */
  find(key: string, spelling: Spelling, places: Semaphore): ValidationResult | Promise<ValidationResult> | null;
}

/** One way of writing a mailbox. */
interface Spelling {
  email: string;
  domain: string;
}

/** Some 100 bytes each. Who comes again after half as many others may be asked for again. */
const maxRemembered = 200_000;
/** So many of the latest are kept as they came, at some 1,000 bytes each: a short list never pays for packing them. */
const maxDecompressed = 2_000;

/** Nothing was asked yet. */
export function createResultCache(limit = maxRemembered): ResultCache {
  const underWay = new Map<string, Promise<ValidationResult>>();
  const known = new LruMap<{ confidence: number; text: string }>({ maxEntries: limit });
  // But for the address and the time, results are alike: what they share is kept once.
  const texts = new Map<string, string>();
  const decompress = new Map<string, ValidationResult>();
  const pack = (key: string, result: ValidationResult): void => {
    const text = JSON.stringify(sharedPart(result));
    if (texts.size > limit) texts.clear();
    if (!texts.has(text)) texts.set(text, text);
    known.set(key, { confidence: result.confidence, text: texts.get(text) ?? text });
  };
  const remember = (key: string, result: ValidationResult): void => {
    decompress.set(key, result);
    if (decompress.size < maxDecompressed) return;
    for (const [each, answered] of decompress) pack(each, answered);
    decompress.clear();
  };
  return {
    track: async (key, answer) => {
      underWay.set(key, answer);
      try {
        const result = await answer;
        remember(key, result);
        return result;
      } finally {
        underWay.delete(key);
      }
    },
    find: (key, spelling, places) => {
      const first = underWay.get(key);
      if (first !== undefined) return outside(first, places).then((result) => ({ ...result, email: spelling.email }));
      const last = decompress.get(key);
      if (last !== undefined) return repeated(sharedPart(last), last.confidence, spelling);
      const found = known.get(key);
      return found === undefined ? null : repeated(JSON.parse(found.text), found.confidence, spelling);
    },
  };
}

/** Who waits for the answer to another takes nobody's place. */
async function outside<Answer>(answer: Promise<Answer>, places: Semaphore): Promise<Answer> {
  // The place is taken once the question is under way.
  await null;
  places.release();
  try {
    return await answer;
  } finally {
    places.acquireNow();
  }
}

type Shared = Omit<ValidationResult, 'email' | 'confidence' | 'performance'>;

function sharedPart({ email: _, confidence: __, performance: ___, ...result }: ValidationResult): Shared {
  return { ...result, details: { ...result.details, domain: '' }, metadata: { ...result.metadata, timestamp: 0 } };
}

function repeated(answer: Shared, confidence: number, { email, domain }: Spelling): ValidationResult {
  const { status, sub_status, ...shared } = answer;
  return {
    ...{ email, status, sub_status, confidence },
    ...shared,
    details: { ...shared.details, domain },
    performance: { response_time_ms: 0 },
    metadata: { ...shared.metadata, timestamp: Date.now() / 1000 },
  };
}
