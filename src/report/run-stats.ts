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

/** Where the addresses of a list stood. */
export interface ListShape {
  /** The name of the file, or of several; null for a pipe. */
  name: string | null;
  /** The columns that were vetted; empty where the list is nothing but addresses. */
  columns: readonly string[];
  /** Columns that hold addresses, too, and were not vetted; with how many rows of each do. */
  otherColumns: readonly { name: string; rows: number }[];
  /** Lines that are no rows: empty ones, and comments. */
  passedOver?: number;
}

/** All that is told of a run beside its rows. Plain data, whose size does not depend on the length of the list. */
export interface RunStats {
  /** The five counts, and rows without an address or an answer. */
  summary: RunSummary;
  list: ListShape;
  /** By sub_status; `""` is an unqualified `valid`. Duplicates are in none of the three. */
  reasons: StatusCounts;
  domains: StatusCounts;
  /** Who runs the mail, as far as the results say. */
  providers: StatusCounts;
  suggestions: { count: number; examples: Suggestion[] };
  timeline: Timeline;
  /** Where somebody wants them; else none. */
  bad: BadRows;
  /** In ms since 1970. */
  startedAt: number;
  endedAt: number;
}

interface Suggestion {
  email: string;
  meant: string;
}

/** Gathers the figures of a run as its answers come. */
export interface StatsCollector {
  /** As it stands; whoever counts what is no answer adds to it. */
  readonly summary: RunSummary;
  add(answers: readonly BulkAnswer[]): void;
  /** So many were answered by now, in all: also those that wait for a row before them. */
  mark(answered: number, now: number): void;
  figures(list: ListShape, endedAt: number): RunStats;
}

const maxDomains = 20_000;
const maxProviders = 2_000;
const maxReasons = 200;
const maxExamples = 20;
/** RFC 1035, section 2.3.4. */
const maxDomainLength = 255;

/** A summary of nothing yet. */
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

/** How much of a run somebody will look at: the counts alone, or even the rows that are not valid. */
export interface StatsOptions {
  countsAlone?: boolean;
  keepBad?: boolean;
}

/** Figures of a run that began at `startedAt`, in ms since 1970. */
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
    // What is no address says nothing about a domain.
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

/** As much of a result as figures are made of. */
type Judged = BulkItem & Partial<Pick<ValidationResult, 'sub_status' | 'did_you_mean' | 'details'>>;

/** Counts one answer in exactly one of the five, and is true where it is no duplicate. A row without an answer is counted apart. */
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

/** By name: V8 looks up a computed one anew for each row. */
function countIn(summary: RunSummary, word: CountWord): void {
  if (word === 'valid') summary.valid_count++;
  else if (word === 'invalid') summary.invalid_count++;
  else if (word === 'risky') summary.risky_count++;
  else if (word === 'unknown') summary.unknown_count++;
  else summary.duplicate_count++;
}

/** Addresses that passed, but whose mailboxes nobody asked about. */
export function unprobedIn({ names }: StatusCounts): number {
  return names.find(({ name }) => name === 'not_probed')?.total ?? 0;
}

/** In one spelling: as DNS has it. */
function domainIn(email: string): string {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return /[^\0-\x7f]/.test(domain) ? domainToASCII(domain) || domain : domain;
}
