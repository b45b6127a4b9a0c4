import { suppressedVerdict } from '../model/job.js';
import {
  addCount,
  type BulkAnswer,
  type BulkItem,
  countedAs,
  type RunSummary,
  type ValidationResult,
} from '../model/result.js';
import type { RunStats, StatusCounts } from '../wire/app.js';
import { createBadRowCollector } from './bad-rows.js';
import { domainOf } from './result-domain.js';
import { createStatusCounts } from './status-counts.js';
import { createTimeline } from './timeline.js';

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

/** Addresses that passed without a mailbox check. */
export function countUnprobed({ names }: StatusCounts): number {
  return names.find(({ name }) => name === 'not_probed')?.total ?? 0;
}

/** Cells with several addresses. They are never checked, so another run does not help. */
export function countSeveralAddresses({ names }: StatusCounts): number {
  return names.find(({ name }) => name === 'several_addresses')?.total ?? 0;
}
