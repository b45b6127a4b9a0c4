import { suppressedVerdict } from '../model/job.js';
import {
  addCount,
  type BulkAnswer,
  type BulkItem,
  countedAs,
  type RunSummary,
  type ValidationResult,
} from '../model/result.js';
import type { RunStats } from '../wire/app.js';
import { domainOf } from './result-domain.js';
import { createStatusCounts } from './status-counts.js';

export type { RunStats };

/** The columns and rows of a list. */
export type ListShape = RunStats['list'];

/** Collects the statistics of a run. */
export interface StatsCollector {
  /** Callers may add rows without an answer. */
  readonly summary: RunSummary;
  add(answers: readonly BulkAnswer[]): void;
  /** Total number of answers so far, including those not yet in order, without reused ones. */
  recordProgress(answered: number, now: number): void;
  stats(list: ListShape, endedAt: number): RunStats;
}

const maxDomains = 20_000;
const maxProviders = 2_000;
const maxReasons = 200;
const maxExamples = 20;
/** RFC 1035 §2.3.4. */
const maxDomainLength = 255;

export function emptySummary(): RunSummary {
  return {
    total: 0,
    valid_count: 0,
    invalid_count: 0,
    risky_count: 0,
    unknown_count: 0,
    duplicate_count: 0,
    credits_used: 0,
    incomplete: false,
    unanswered_count: 0,
    left_out_count: 0,
    suppressed_count: 0,
    empty_count: 0,
    reused_count: 0,
  };
}

/** What to collect beyond the counts. */
export interface StatsOptions {
  countsOnly?: boolean;
  keepBad?: boolean;
}

export function createStatsCollector(
  startedAt: number,
  { countsOnly = false, keepBad = false }: StatsOptions = {},
): StatsCollector {
  const summary = emptySummary();
  const reasons = createStatusCounts(maxReasons);
  const domains = createStatusCounts(maxDomains);
  const providers = createStatusCounts(maxProviders);
  let lacksProviders = false;
  const suggestions: RunStats['suggestions'] = { count: 0, examples: [] };
  const { recordProgress, timeline } = createTimeline(startedAt);
  const bad = createBadRowCollector();

  const addUnique = (result: ResultFields): void => {
    const status = countedAs(result.status, false);
    if (status === 'duplicate') return;
    const { email, sub_status: reason, details, did_you_mean: suggestion } = result;
    if (reason !== undefined) reasons.add(reason, status);
    const domain = domainOf(result);
    if (domain !== '' && domain.length <= maxDomainLength) domains.add(domain, status);
    if (details === undefined) lacksProviders = true;
    else if (details.provider !== '') providers.add(details.provider, status);
    if (suggestion == null || suggestion === '') return;
    suggestions.count++;
    if (suggestions.examples.length < maxExamples) suggestions.examples.push({ email, suggestion });
  };
  return {
    summary,
    add: (answers) => {
      for (const answer of answers) if (countAnswer(summary, answer) && !countsOnly) addUnique(answer.result);
      if (keepBad) bad.add(answers);
    },
    recordProgress,
    stats: (list, endedAt) => ({
      summary,
      list,
      suggestions,
      startedAt,
      endedAt,
      reasons: reasons.counts(),
      domains: domains.counts(),
      providers: lacksProviders ? { names: [], dropped: 0 } : providers.counts(),
      timeline: timeline(),
      bad: bad.badRows(),
    }),
  };
}

type ResultFields = BulkItem & Partial<Pick<ValidationResult, 'sub_status' | 'did_you_mean' | 'details'>>;

/**
 * Adds an answer to one of the five counts; true unless it is a duplicate. A row without an answer is counted
 * separately.
 */
export function countAnswer(summary: RunSummary, answer: BulkAnswer): boolean {
  const { result, duplicate, unanswered, leftOut, empty, suppressed, charged, reused } = answer;
  if (empty) return false;
  if (suppressed || result.status === suppressedVerdict.status) {
    summary.suppressed_count++;
    return false;
  }
  if (unanswered) {
    summary.unanswered_count++;
    return false;
  }
  if (reused && !duplicate) summary.reused_count++;
  if (leftOut) summary.left_out_count++;
  summary.total++;
  addCount(summary, result.status, duplicate);
  if (charged ?? !duplicate) summary.credits_used++;
  return !duplicate;
}

const maxBadRows = 5_000;
/** Bounds the report, since an address may be as long as a cell. */
const maxBadCharacters = 400_000;

/** Collects the first 5,000 rows that are not valid, each mailbox once. */
function createBadRowCollector() {
  const rows: RunStats['bad']['rows'] = [];
  let total = 0;
  let characters = 0;
  return {
    add: (answers: readonly BulkAnswer[]): void => {
      for (const { result, duplicate, empty, unanswered, suppressed } of answers) {
        if (result.status === 'valid' || duplicate || empty || unanswered || suppressed) continue;
        if (result.status === suppressedVerdict.status) continue;
        total++;
        if (rows.length >= maxBadRows || characters + result.email.length > maxBadCharacters) continue;
        characters += result.email.length;
        const { sub_status: subStatus = '', did_you_mean: suggestion = null } = result as {
          sub_status?: string;
          did_you_mean?: string | null;
        };
        rows.push({ email: result.email, status: result.status, subStatus, suggestion });
      }
    },
    badRows: (): RunStats['bad'] => ({ rows, total }),
  };
}

const minSliceMs = 250;
const maxSlices = 120;

/** At most 120 slices: the slices get longer with the run. */
export function createTimeline(startedAt: number) {
  let sliceMs = minSliceMs;
  let slices: number[] = [];
  let lastAnswered = 0;
  return {
    recordProgress: (answered: number, now: number): void => {
      const elapsed = Math.max(0, now - startedAt);
      for (; elapsed >= sliceMs * maxSlices; sliceMs *= 2) slices = mergePairs(slices);
      const slice = Math.floor(elapsed / sliceMs);
      while (slices.length <= slice) slices.push(0);
      slices[slice] = (slices[slice] ?? 0) + answered - lastAnswered;
      lastAnswered = answered;
    },
    timeline: (): RunStats['timeline'] => ({ sliceMs, answered: [...slices] }),
  };
}

function mergePairs(slices: readonly number[]): number[] {
  const pairs: number[] = [];
  for (let index = 0; index < slices.length; index += 2) pairs.push((slices[index] ?? 0) + (slices[index + 1] ?? 0));
  return pairs;
}
