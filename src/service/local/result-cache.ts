import { LruMap } from '../../async/lru-map.js';
import type { Semaphore } from '../../async/semaphore.js';
import type { ValidationResult } from '../../model/result.js';

/** One way of writing a mailbox. */
interface Spelling {
  email: string;
  domain: string;
}

/** A mailbox takes about 100 bytes. One that was evicted is validated again. */
const defaultMaxEntries = 200_000;
/** Recent results are not compressed, at about 1,000 bytes each: a short list needs no compression. */
const maxRecent = 2_000;

/** The results of a list so far, so that a duplicate is not validated again. */
export class ResultCache {
  private readonly inFlight = new Map<string, Promise<ValidationResult>>();
  private readonly compressed: LruMap<{ confidence: number; text: string }>;
  /** Results differ in few fields, so the text of the rest is stored once. */
  private readonly texts = new Map<string, string>();
  private readonly recent = new Map<string, ValidationResult>();

  constructor(private readonly maxEntries = defaultMaxEntries) {
    this.compressed = new LruMap({ maxEntries });
  }

  /** Stores a result when it is known; until then, duplicates share its promise. */
  async track(key: string, answer: Promise<ValidationResult>): Promise<ValidationResult> {
    this.inFlight.set(key, answer);
    try {
      const result = await answer;
      this.recent.set(key, result);
      if (this.recent.size >= maxRecent) this.compressRecent();
      return result;
    } finally {
      this.inFlight.delete(key);
    }
  }

  /** The result of a mailbox under the given spelling, or null. A wait for one in flight holds no slot of the semaphore. */
  find(key: string, spelling: Spelling, semaphore: Semaphore): ValidationResult | Promise<ValidationResult> | null {
    const first = this.inFlight.get(key);
    if (first !== undefined) {
      return withoutSlot(first, semaphore).then((result) => ({
        ...result,
        email: spelling.email,
        reasons: [...result.reasons],
      }));
    }
    const recent = this.recent.get(key);
    if (recent !== undefined) return repeatResult(sharedPart(recent), recent.confidence, spelling);
    const entry = this.compressed.get(key);
    return entry === undefined ? null : repeatResult(JSON.parse(entry.text), entry.confidence, spelling);
  }

  private compressRecent(): void {
    for (const [key, result] of this.recent) {
      const text = JSON.stringify(sharedPart(result));
      if (this.texts.size > this.maxEntries) this.texts.clear();
      if (!this.texts.has(text)) this.texts.set(text, text);
      this.compressed.set(key, { confidence: result.confidence, text: this.texts.get(text) ?? text });
    }
    this.recent.clear();
  }
}

async function withoutSlot<Answer>(answer: Promise<Answer>, semaphore: Semaphore): Promise<Answer> {
  // The slot is taken once this call has returned.
  await null;
  semaphore.release();
  try {
    return await answer;
  } finally {
    semaphore.acquireNow();
  }
}

type SharedResult = Omit<ValidationResult, 'email' | 'confidence' | 'performance'>;

function sharedPart({ email: _, confidence: __, performance: ___, ...result }: ValidationResult): SharedResult {
  return { ...result, details: { ...result.details, domain: '' }, metadata: { ...result.metadata, timestamp: 0 } };
}

function repeatResult(answer: SharedResult, confidence: number, { email, domain }: Spelling): ValidationResult {
  const { status, sub_status, ...shared } = answer;
  return {
    email,
    status,
    sub_status,
    confidence,
    ...shared,
    reasons: [...shared.reasons],
    details: { ...shared.details, domain },
    performance: { response_time_ms: 0 },
    metadata: { ...shared.metadata, timestamp: Date.now() / 1000 },
  };
}
