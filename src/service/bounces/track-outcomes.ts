import { lazy } from '../../async/lazy.js';
import { openStore, type StoreLocation } from '../../jobs/store/open-store.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import type { Bounce } from '../../model/bounce.js';
import { type RowVerdict, rowVerdictOf, suppressedVerdict } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import {
  createOutcomeCounter,
  isProof,
  type Outcome,
  type OutcomeStats,
  outcomes,
  rateOf,
  type VerdictFields,
} from '../../report/outcome-stats.js';
import { openRows } from '../../rows/open-rows.js';
import { readOutput } from '../outputs/read-output.js';
import { collectVerdicts, createRunVerdicts, createStates, type RunVerdicts } from '../outputs/run-verdicts.js';
import { bareId } from './parse-notice.js';

/** The earlier output and the list of what was sent; one of them at least. */
interface OutcomeInputs {
  against: string | undefined;
  sent: string | undefined;
  /** The verdicts that jobs remember, by the key of the address; used without `against`. */
  recall(keys: readonly string[]): Promise<ReadonlyMap<string, RowVerdict>>;
  signal: AbortSignal;
}

type Visitor = (address: string, verdict: VerdictFields | null, outcome: Outcome) => void;

const isSent = 0x80;
const hasTakenMail = 0x40;
const outcomeMask = 0x07;
const maxReplies = 1_000;

/** Compares verdicts with bounces. Reads both lists: each address takes about 40 bytes, and more if it has a Message-ID. */
export async function openOutcomes(inputs: OutcomeInputs) {
  const { against, sent, signal } = inputs;
  const verdicts = against === undefined ? createRunVerdicts() : await collectVerdicts(verdictsIn(against));
  const states = createStates();
  /** The address of each Message-ID; null if several addresses share it. */
  const entryByMessageId = new Map<string, number | null>();
  const replies = new Map<number, string>();
  const entryOf = (address: string): number => verdicts.entryOf(keyOfAddress(address.trim()));
  if (sent !== undefined)
    await readSent(inputs, sent, verdicts, (entry) => states.set(entry, isSent), entryByMessageId);
  /** Reads the lists again: each mailed address with its verdict and its outcome. */
  const visitMailed = async (visit: Visitor): Promise<void> => {
    const visited = createStates();
    for await (const address of addressesOf(sent, against, signal)) {
      const entry = entryOf(address);
      const outcome = outcomes[states.get(entry) & outcomeMask] ?? 'no_bounce_seen';
      // Without the list of sent messages, only what was read is known.
      if (visited.get(entry) === 1 || (sent === undefined && outcome === 'no_bounce_seen')) continue;
      visited.set(entry, 1);
      visit(address, verdicts.recall(entry), outcome);
    }
  };
  let unexpected = 0;
  let hasDeliveries = false;
  /** The mailed address that a bounce is about; null if the lists do not have it, since a bounce can be forged. */
  const mailedEntry = ({ address, message_id }: Bounce): number | null => {
    const entry = entryOf(address);
    if (sent === undefined) return verdicts.recall(entry) === null ? null : entry;
    if ((states.get(entry) & isSent) !== 0) return entry;
    // Mail that was forwarded bounces with the address that it was forwarded to.
    return entryByMessageId.get(message_id) ?? null;
  };
  return {
    add: (bounce: Bounce): void => {
      if (bounce.address === '') return;
      const entry = mailedEntry(bounce);
      if (entry === null) {
        if (bounce.kind !== 'delivered') unexpected++;
        return;
      }
      const rank = outcomes.indexOf(bounce.kind);
      hasDeliveries ||= bounce.kind === 'delivered';
      const state = states.get(entry) | (bounce.kind === 'delivered' ? hasTakenMail : 0);
      states.set(entry, state);
      if (rank > (state & outcomeMask)) states.set(entry, (state & ~outcomeMask) | rank);
      if (bounce.kind === 'hard' && replies.size < maxReplies) replies.set(entry, bounce.reply);
    },
    stats: async (): Promise<OutcomeStats> => {
      const counter = createOutcomeCounter();
      const taken = { count: 0, of: 0 };
      await visitMailed((address, verdict, outcome) => {
        if ((states.get(entryOf(address)) & hasTakenMail) !== 0) {
          taken.of++;
          if (outcome === 'hard') taken.count++;
        }
        if (verdict === null) counter.counts.not_vetted++;
        else counter.add(address, verdict, outcome, replies.get(entryOf(address)) ?? '');
      });
      counter.counts.not_sent = unexpected;
      return counter.stats(sent !== undefined || hasDeliveries, rateOf(taken.count, taken.of));
    },
    /** The catch-all and unknown addresses that were sent, unless what happened shows nothing about them. */
    undecided: async (): Promise<string[]> => {
      const addresses: string[] = [];
      await visitMailed((address, verdict, outcome) => {
        const isUndecided = verdict?.status === 'unknown' || verdict?.sub_status.endsWith('catch_all') === true;
        if (sent !== undefined && isUndecided && isProof(outcome)) addresses.push(address);
      });
      return addresses;
    },
  };
}

/** Looks up the verdicts that jobs remember, at level smtp. Opens the store at the first call. */
export function rememberedVerdicts(location: StoreLocation) {
  const opening = lazy(() => openStore(location));
  return {
    recall: async (keys: readonly string[]): Promise<ReadonlyMap<string, RowVerdict>> => {
      const answers = await (await opening.get()).store.findAnswers('smtp', [...keys]);
      const verdicts = [...answers].map(([key, { answer }]) => [key, rowVerdictOf(answer)] as const);
      return new Map(verdicts.flatMap(([key, verdict]) => (verdict === null ? [] : [[key, verdict] as const])));
    },
    close: async (): Promise<void> => (await opening.opened())?.store.close(),
  };
}

const messageIdColumn = /^(?:x-)?message[ _-]?id$/i;

async function readSent(
  { against, recall, signal }: OutcomeInputs,
  path: string,
  verdicts: RunVerdicts,
  mark: (entry: number) => void,
  entryByMessageId: Map<string, number | null>,
): Promise<void> {
  const source = await openRows({ path }, { signal });
  const idColumn = source.columns.findIndex((name) => messageIdColumn.test(name.trim()));
  for await (const rows of source.chunks) {
    const keys: string[] = [];
    for (const { email, cells } of rows) {
      if (email === '') continue;
      const key = keyOfAddress(email);
      keys.push(key);
      const entry = verdicts.entryOf(key);
      mark(entry);
      const id = bareId(cells[idColumn] ?? '');
      if (id === '') continue;
      const isShared = entryByMessageId.has(id) && entryByMessageId.get(id) !== entry;
      entryByMessageId.set(id, isShared ? null : entry);
    }
    if (against !== undefined) continue;
    for (const [key, verdict] of await recall(keys)) {
      verdicts.remember(verdicts.entryOf(key), verdict);
    }
  }
}

async function* addressesOf(
  sent: string | undefined,
  against: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (sent !== undefined) {
    const { chunks } = await openRows({ path: sent }, { signal });
    for await (const rows of chunks) for (const { email } of rows) if (email !== '') yield email;
  } else if (against !== undefined) {
    for await (const items of verdictsIn(against)) for (const { email } of items) yield email;
  }
}

/** The results of an earlier output. What was suppressed has no verdict. */
async function* verdictsIn(path: string): AsyncGenerator<readonly BulkItem[]> {
  for await (const items of await readOutput(path))
    yield items.filter(({ status }) => status !== suppressedVerdict.status);
}
