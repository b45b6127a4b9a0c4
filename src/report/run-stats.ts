import { domainToASCII } from 'node:url';
import {
  type BulkAnswer,
  type BulkItem,
  type CountWord,
  countedAs,
  type RunSummary,
  type ValidationResult,
} from '../model/result.js';
import { type BadRows, openBadRows } from './bad-rows.js';
import { createStatusCounts, type StatusCounts } from './status-counts.js';
import { openTimeline, type Timeline } from './timeline.js';

/** The columns and rows of a list. */
export interface ListShape {
  /** The file name; null for a pipe. */
  name: string | null;
  /** The validated columns; empty for a plain list of addresses. */
  columns: readonly string[];
  /** Other columns with addresses, and their number of rows. */
  otherColumns: readonly { name: string; rows: number }[];
  /** Empty lines and comments. */
  passedOver?: number;
}

/** Statistics of a run. Their size does not depend on the length of the list. */
export interface RunStats {
  /** The five counts, and rows without an address or an answer. */
  summary: RunSummary;
  list: ListShape;
  /** By sub_status; `""` is an unqualified `valid`. The three leave out duplicates. */
  reasons: StatusCounts;
  domains: StatusCounts;
  providers: StatusCounts;
  suggestions: { count: number; examples: Suggestion[] };
  timeline: Timeline;
  /** Empty unless requested. */
  bad: BadRows;
  startedAt: number;
  endedAt: number;
}

interface Suggestion {
  email: string;
  meant: string;
}

/** Collects the statistics of a run. */
export interface StatsCollector {
  /** Callers may add rows without an answer. */
  readonly summary: RunSummary;
  add(answers: readonly BulkAnswer[]): void;
  /** Total number of answers so far, including those not yet in order. */
  mark(answered: number, now: number): void;
  figures(list: ListShape, endedAt: number): RunStats;
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
  };
}

/** What to collect beyond the counts. */
export interface StatsOptions {
  countsAlone?: boolean;
  keepBad?: boolean;
}

export function createStatsCollector(
  startedAt: number,
  { countsAlone = false, keepBad = false }: StatsOptions = {},
): StatsCollector {
  const summary = emptySummary();
  const reasons = createStatusCounts(maxReasons);
  const domains = createStatusCounts(maxDomains);
  const providers = createStatusCounts(maxProviders);
  const suggestions: RunStats['suggestions'] = { count: 0, examples: [] };
  const { mark, timeline } = openTimeline(startedAt);
  const bad = openBadRows();

  const addUnique = (result: Judged): void => {
    const status = countedAs(result.status, false);
    if (status === 'duplicate') return;
    const { email, sub_status: reason, details, did_you_mean: meant } = result;
    if (reason !== undefined) reasons.add(reason, status);
    const domain = reason === 'failed_syntax_check' ? '' : (details?.domain ?? domainIn(email));
    if (domain !== '' && domain.length <= maxDomainLength) domains.add(domain, status);
    if (details !== undefined && details.provider !== '') providers.add(details.provider, status);
    if (meant == null || meant === '') return;
    suggestions.count++;
    if (suggestions.examples.length < maxExamples) suggestions.examples.push({ email, meant });
  };
  return {
    summary,
    add: (answers) => {
      for (const answer of answers) if (countAnswer(summary, answer) && !countsAlone) addUnique(answer.result);
      if (keepBad) bad.add(answers);
    },
    mark,
    figures: (list, endedAt) => ({
      ...{ summary, list, suggestions, startedAt, endedAt },
      reasons: reasons.tally(),
      domains: domains.tally(),
      providers: providers.tally(),
      timeline: timeline(),
      bad: bad.found(),
    }),
  };
}

type Judged = BulkItem & Partial<Pick<ValidationResult, 'sub_status' | 'did_you_mean' | 'details'>>;

/**
 * Adds an answer to one of the five counts; true unless it is a duplicate. A row without an answer is counted
 * separately.
 */
export function countAnswer(summary: RunSummary, answer: BulkAnswer): boolean {
  const { result, duplicate, unanswered, empty, charged } = answer;
  if (empty) return false;
  if (unanswered) {
    summary.unanswered_count = (summary.unanswered_count ?? 0) + 1;
    return false;
  }
  summary.total++;
  countIn(summary, countedAs(result.status, duplicate));
  if (duplicate) return false;
  if (charged !== false) summary.credits_used++;
  return true;
}

/** By literal name, which V8 optimizes. */
function countIn(summary: RunSummary, word: CountWord): void {
  if (word === 'valid') summary.valid_count++;
  else if (word === 'invalid') summary.invalid_count++;
  else if (word === 'risky') summary.risky_count++;
  else if (word === 'unknown') summary.unknown_count++;
  else summary.duplicate_count++;
}

/** Addresses that passed without a mailbox check. */
export function unprobedIn({ names }: StatusCounts): number {
  return names.find(({ name }) => name === 'not_probed')?.total ?? 0;
}

/** In ASCII. */
function domainIn(email: string): string {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return /[^\0-\x7f]/.test(domain) ? domainToASCII(domain) || domain : domain;
}
