import { formatAmount, formatNumber } from '../model/amount.js';

/** What happened to a mailed address, by rising precedence: a hard bounce takes precedence over a complaint. `delivered`: a log or an event says so; `unreadable`: it came back for an unknown reason. */
export const outcomes = ['no_bounce_seen', 'delivered', 'unreadable', 'complaint', 'soft', 'policy', 'hard'] as const;
export type Outcome = (typeof outcomes)[number];

/** A share with its 95% interval (Wilson score), all 0..1. */
interface Rate {
  count: number;
  of: number;
  share: number;
  low: number;
  high: number;
}

/** The outcomes of the addresses with one status, sub-status or domain. */
export type OutcomeRow = { name: string; mailed: number; hard_rate: Rate } & Record<Outcome, number>;

/** The addresses with a confidence of this tenth, and how often the verdict, or the estimate, was right. */
export interface Decile {
  from: number;
  mean_confidence: number;
  right: Rate;
}

/** A verdict that the mailing contradicted. */
export interface FalseVerdict extends VerdictFields {
  address: string;
  outcome: Outcome;
  reply: string;
}

/** Verdicts against what happened. */
export interface OutcomeStats {
  /** False: neither a log nor a list says what was mailed, so there are no rates. */
  knows_sent: boolean;
  mailed: number;
  /** Mailed or bounced addresses without a verdict. */
  not_vetted: number;
  /** Bounces of addresses that were not mailed by `--sent`: of another mailing, or forged. */
  not_sent: number;
  by_status: OutcomeRow[];
  by_sub_status: OutcomeRow[];
  /** The share of valid addresses with a hard bounce. */
  false_valid: Rate;
  /** The share of invalid addresses that were mailed anyway and had a hard bounce. */
  saved_bounces: Rate;
  /** The share of addresses that took mail, by a log or an event, and had a hard bounce all the same. */
  late_bounces: Rate;
  calibration: Decile[];
  /** The mean difference between confidence and what happened; null without data. */
  calibration_error: number | null;
  worst_domains: OutcomeRow[];
  false_verdicts: FalseVerdict[];
}

export interface VerdictFields {
  status: string;
  sub_status: string;
  confidence: number;
}

/** The Wilson score interval at 95%: it holds for small counts, too. */
export function rateOf(count: number, of: number): Rate {
  if (of === 0) return { count, of, share: 0, low: 0, high: 1 };
  const z = 1.959964;
  const share = count / of;
  const center = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const margin = (z / (1 + z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return { count, of, share, low: Math.max(0, center - margin), high: Math.min(1, center + margin) };
}

/** `3 of 120, 2.5% (0.9–7.1%)` */
export function formatRate(rate: Rate): string {
  return rate.of === 0 ? '–' : `${formatNumber(rate.count)} of ${formatNumber(rate.of)}, ${formatShare(rate)}`;
}

/** `3 of 120 mailed valid addresses, 2.5% (0.9–7.1%)` */
export function formatMailedRate(rate: Rate, status: string): string {
  if (rate.of === 0) return `no ${status} address was mailed`;
  const addresses = formatAmount(rate.of, `mailed ${status} address`, `mailed ${status} addresses`);
  return `${formatNumber(rate.count)} of ${addresses}, ${formatShare(rate)}`;
}

/** What the rates of `calibration` count. */
export const calibrationScope =
  'Counted are valid, invalid, unknown and catch-all addresses that were delivered (a complaint shows that, too), bounced hard, or for which no bounce was seen. ' +
  'A soft, policy or unreadable bounce does not show whether a verdict was right.';

/** `2.5% (0.9–7.1%)` */
export function formatShare({ of, share, low, high }: Rate): string {
  const percent = (value: number): string => String(Math.round(value * 1000) / 10);
  return of === 0 ? '–' : `${percent(share)}% (${percent(low)}–${percent(high)}%)`;
}

/** The outcomes that occur, for the columns of a table. */
export function outcomesIn(rows: readonly OutcomeRow[]): Outcome[] {
  return outcomes.filter((outcome) => outcome === 'hard' || rows.some((row) => row[outcome] > 0));
}

const maxDomains = 50_000;
const maxFalseVerdicts = 200;
const worstDomains = 10;

/** Counts verdicts by outcome in bounded memory. */
export function createOutcomeCounter() {
  const statuses = createTally(100);
  const subStatuses = createTally(1_000);
  const domains = createTally(maxDomains);
  const deciles = Array.from({ length: 10 }, () => ({ confidence: 0, right: 0, of: 0 }));
  const falseVerdicts: FalseVerdict[] = [];
  const counts = { mailed: 0, not_vetted: 0, not_sent: 0 };
  const add = (address: string, verdict: VerdictFields, outcome: Outcome, reply: string): void => {
    const { status, sub_status, confidence } = verdict;
    counts.mailed++;
    statuses.add(status, outcome);
    subStatuses.add(sub_status === '' ? status : sub_status, outcome);
    domains.add(address.slice(address.lastIndexOf('@') + 1).toLowerCase(), outcome);
    const isRight = verdictIsRight(verdict, outcome);
    const decile = deciles[Math.max(0, Math.min(9, Math.floor(confidence * 10)))];
    if (isRight !== null && decile !== undefined) {
      decile.of++;
      decile.confidence += confidence;
      if (isRight) decile.right++;
    }
    const isFalse = isRight === false && (status === 'valid' || status === 'invalid');
    if (isFalse && falseVerdicts.length < maxFalseVerdicts) falseVerdicts.push({ address, ...verdict, outcome, reply });
  };
  const stats = (knowsSent: boolean, late = rateOf(0, 0)): OutcomeStats => {
    const byStatus = statuses.rows();
    const hardOf = (status: string): Rate => byStatus.find(({ name }) => name === status)?.hard_rate ?? rateOf(0, 0);
    const known = deciles.reduce((sum, { of }) => sum + of, 0);
    const difference = deciles.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0);
    return {
      knows_sent: knowsSent,
      ...counts,
      by_status: byStatus,
      by_sub_status: subStatuses.rows(),
      false_valid: hardOf('valid'),
      saved_bounces: hardOf('invalid'),
      late_bounces: late,
      calibration: deciles.flatMap(({ of, confidence, right }, at) =>
        of === 0 ? [] : [{ from: at / 10, mean_confidence: confidence / of, right: rateOf(right, of) }],
      ),
      calibration_error: known === 0 || !knowsSent ? null : difference / known,
      worst_domains: domains
        .rows()
        .filter(({ hard }) => hard > 0)
        .sort((one, other) => other.hard - one.hard || other.hard_rate.share - one.hard_rate.share)
        .slice(0, worstDomains),
      false_verdicts: falseVerdicts,
    };
  };
  return { add, counts, stats };
}

/** For catch-all and unknown, the confidence is how likely the mailbox exists. Null: the outcome proves nothing. */
function verdictIsRight({ status, sub_status }: VerdictFields, outcome: Outcome): boolean | null {
  if (!isProof(outcome)) return null;
  const exists = outcome !== 'hard';
  if (status === 'valid' || status === 'unknown' || sub_status.endsWith('catch_all')) return exists;
  return status === 'invalid' ? !exists : null;
}

/** Whether an outcome speaks of the mailbox: a full mailbox, a refusal of the sender and an unknown reason do not. */
export function isProof(outcome: Outcome): boolean {
  return outcome !== 'soft' && outcome !== 'policy' && outcome !== 'unreadable';
}

const noOutcomes = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;

/** Counts outcomes by name; further names are left out when it is full. */
function createTally(maxNames: number) {
  const names = new Map<string, Record<Outcome, number>>();
  return {
    add: (name: string, outcome: Outcome): void => {
      const counts = names.get(name) ?? { ...noOutcomes };
      counts[outcome]++;
      if (names.has(name) || names.size < maxNames) names.set(name, counts);
    },
    rows: (): OutcomeRow[] =>
      [...names]
        .map(([name, counts]) => {
          const mailed = outcomes.reduce((sum, outcome) => sum + counts[outcome], 0);
          return { name, mailed, ...counts, hard_rate: rateOf(counts.hard, mailed) };
        })
        .sort((one, other) => other.mailed - one.mailed),
  };
}
