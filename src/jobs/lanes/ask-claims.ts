import { randomUUID } from 'node:crypto';
import { createBatcher } from '../../async/batcher.js';
import type { ProbeAnswer, Prober } from '../../net/probe/prober.js';
import { isUrgent, urgencies } from './asker-table.js';
import { jobMayWaitMs } from './channels.js';
import type { HeldLane, HeldLanes } from './held-lanes.js';
import type { Members } from './members.js';
import { openRefusals, refusesUs } from './refusals.js';
import type { Claim, Outcome, Self, WorkerTable } from './worker-table.js';

interface AskClaimsOptions {
  self: Self;
  probes: WorkerTable;
  held: HeldLanes;
  members: Members;
  prober: Prober;
  /** How many sessions it has at a time. */
  sessions: number;
  /** There is much room for what waits. */
  onEnd(): void;
  onError(failure: unknown): void;
}

/** Takes questions of the lanes held, asks them, and writes what came of it. */
interface AskClaims {
  /** Takes as many as there is room for, and in a `hurry` those that somebody waits for in any case; `shunned` are those whom others should ask. */
  more(shunned: readonly string[], hurry: boolean): Promise<void>;
  /** What is under way is enough for the time being. */
  isFull(): boolean;
  /** There is room, and nothing to fill it with. */
  isHungry(): boolean;
  /** How many were answered so far. */
  answered(): number;
}

/** Some seconds' worth for each session: what one worker has taken, another that has nothing to do cannot take. */
const claimsOfSession = 50;
/** A trip to the database is worth this part of what may be under way. */
const worthATrip = 1 / 4;
/** Lanes are looked into as if each had so many: few at a time, so that their sessions have something to do. */
const claimsExpected = 16;
const fewestLanes = 4;
/** Enough to fill the sessions of one host, and no more than is soon answered. */
const claimsOfLane = 125;
const blockMs = 60 * 60_000;
/** A question that fails is a fault of ours; it is not asked for ever. */
const mostAttempts = 5;
/** Refused by so many workers, the refusal is the answer. */
const mostRefusals = 3;

/** Asks with the given prober, which keeps to the limits of mail hosts. */
export function askClaims(options: AskClaimsOptions): AskClaims {
  const { self, probes, held, members, prober, sessions, onEnd, onError } = options;
  const mostUnderWay = claimsOfSession * sessions;
  const room = (): number => mostUnderWay - held.underWay();
  const isFull = (): boolean => room() < worthATrip * mostUnderWay;
  const refusals = openRefusals();
  let answered = 0;
  const finish = createBatcher(
    async (outcomes: readonly Outcome[]) => {
      await probes.finish(self, outcomes);
      return outcomes;
    },
    { maxWaitMs: ({ claim }) => (isUrgent(claim) ? 0 : jobMayWaitMs) },
  );
  const outcomeOf = (claim: Claim, answer: ProbeAnswer): Outcome => {
    const { party, avoid } = claim;
    if (refusals.note(party, answer)) {
      const reply = answer.mailbox.reply?.text ?? null;
      probes.block(self, party, blockMs, reply).then(members.refresh).catch(onError);
    }
    const refused = [...avoid, self.name];
    const goesOn = refusesUs(answer) && refused.length < mostRefusals && members.hasOther(party, refused);
    return goesOn ? { claim, answer: null, avoidUs: true } : { claim, answer };
  };
  const ask = async (lane: HeldLane, claim: Claim): Promise<void> => {
    const signal = lane.begin(claim);
    try {
      const answer = await prober.probe({ ...claim.request, patient: false }, signal);
      // What ended only because we do is no answer.
      if (signal.aborted) return;
      answered++;
      await finish(outcomeOf(claim, answer));
    } catch (error) {
      // A lane that is lost is somebody else's, with all that was under way in it.
      if (signal.aborted) return;
      onError(error);
      await finish({ claim, answer: claim.attempts < mostAttempts ? null : failed }).catch(() => {});
    } finally {
      lane.end(claim);
      lane.busyAt = performance.now();
      lane.askedAt = lane.busyAt;
      if (lane.mayHaveMore && lane.underWay.size < claimsOfLane / 2) onEnd();
    }
  };
  const more = async (shunned: readonly string[], hurry: boolean): Promise<void> => {
    const open = held.all().filter(hasRoom);
    const most = isFull() ? 0 : room();
    const next = new Set(most === 0 ? [] : longestAgo(open, Math.max(fewestLanes, Math.ceil(most / claimsExpected))));
    const wanted = hurry ? open : [...next];
    if (wanted.length === 0) return;
    for (const lane of next) lane.mayHaveMore = false;
    const wishes = {
      ...{ lease: randomUUID(), perLane: claimsOfLane, most: hurry ? Math.max(most, claimsOfLane) : most, shunned },
      lanes: wanted.map((lane) => ({ lane: lane.lane, urgency: next.has(lane) ? urgencies.job : urgencies.bulk })),
    };
    const claims = await probes.claim(self, wishes).catch((error: unknown) => {
      for (const lane of next) lane.mayHaveMore = true;
      throw error;
    });
    const counts = new Map<string, number>();
    for (const claim of claims) {
      counts.set(claim.lane, (counts.get(claim.lane) ?? 0) + 1);
      const lane = held.get(claim.lane);
      // A lane that was lost meanwhile took its claims with it.
      if (lane !== undefined) void ask(lane, claim);
    }
    const wasFull = (lane: HeldLane): boolean => (counts.get(lane.lane) ?? 0) >= claimsOfLane;
    for (const lane of next) {
      lane.claimedAt = performance.now();
      if (claims.length >= wishes.most || wasFull(lane)) lane.mayHaveMore = true;
    }
  };
  const isHungry = (): boolean => !isFull() && !held.all().some(hasRoom);
  return { more, isFull, isHungry, answered: () => answered };
}

function hasRoom({ mayHaveMore, isLeaving, underWay }: HeldLane): boolean {
  return mayHaveMore && !isLeaving && underWay.size < claimsOfLane;
}

/** So many of these, of which nothing was taken for longest. */
function longestAgo(lanes: readonly HeldLane[], most: number): HeldLane[] {
  return [...lanes].sort((a, b) => a.claimedAt - b.claimedAt).slice(0, most);
}

const failed: ProbeAnswer = {
  mailbox: {
    outcome: { state: 'unknown', reason: 'exception_occurred' },
    ...{ host: null, ip: null, reply: null, rule: null, certainty: 0, retryAt: null, dialogue: [] },
  },
  catchAll: { outcome: 'not_run', source: null, reply: null },
};
