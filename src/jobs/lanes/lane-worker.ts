import { randomUUID } from 'node:crypto';
import { gather } from '../../async/batch-calls.js';
import { systemClock } from '../../async/clock.js';
import { openAlarm } from '../../async/wake-up.js';
import type { ProbeAnswer, Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { lanesChannel, wordsOf } from './channels.js';
import { type HeldLane, openHeldLanes } from './held-lanes.js';
import { isOpenLane, laneOf } from './lane-of.js';
import type { LaneQueue } from './lane-queue.js';
import { laneTable, type View } from './lane-table.js';
import type { Members } from './members.js';
import { openRefusals, refusesUs } from './refusals.js';
import { type Claim, type Outcome, workerTable } from './worker-table.js';

export interface LaneWorkerOptions {
  cluster: Cluster;
  queue: LaneQueue;
  members: Members;
  /** Asks mail hosts, within the limits of each. */
  prober: Prober;
  onError(failure: unknown): void;
}

/** Asks for the mailboxes of its lanes. */
export interface LaneWorker {
  /** Takes nothing more, lets what is under way end for a while, and gives the rest and all lanes back. */
  stop(): Promise<void>;
}

/** A holder that is silent for so long has lost its lanes. */
const leaseMs = 10_000;
const renewMs = 2_000;
/** A lane without work is kept for more, since its sessions are open. */
const lingerMs = 2_000;
/** What the queue forgot is found after so long. */
const forgottenMs = 1_500;
const lookMs = 1_000;
const mostLanes = 512;
const mostUnderWay = 5_000;
/** Enough to fill the sessions of one host, and no more than is soon answered. */
const mostInLane = 250;
const drainMs = 10_000;
const blockMs = 60 * 60_000;
/** A question that fails is a fault of ours; it is not asked for ever. */
const mostAttempts = 5;
/** Refused by so many workers, the refusal is the answer. */
const mostRefusals = 3;

/** Starts to take lanes, from the queue and from what the queue forgot. */
export function startLaneWorker({ cluster, queue, members, prober, onError }: LaneWorkerOptions): LaneWorker {
  const { database, presence, listener } = cluster;
  const self = { id: presence.id, name: presence.name };
  const probes = workerTable(database);
  const lanes = laneTable(database);
  const held = openHeldLanes();
  const refusals = openRefusals();
  const alarm = openAlarm(systemClock);
  let stopping = false;
  let answered = 0;
  let renewedAt = performance.now();
  let lookedAt = Number.NEGATIVE_INFINITY;

  const view = (): View => {
    const refusedOthers = members.refusedOthers(self.name);
    return {
      alive: members.names(),
      shunned: members.refusedBy(self.name).filter((party) => members.hasOther(party, [self.name])),
      ...{ refusedOthers, lanesOfOthers: refusedOthers.map(laneOf) },
    };
  };
  const take = gather(async (wanted: readonly string[]) => {
    const taken = new Set(await lanes.take(self, [...new Set(wanted)], leaseMs));
    return wanted.map((lane) => taken.has(lane));
  });
  const run = async (lane: string): Promise<void> => {
    const known = held.get(lane);
    if (known !== undefined) {
      known.mayHaveMore = true;
      return known.whenGone;
    }
    if (stopping || held.all().length >= mostLanes || !(await take(lane))) return;
    const made = held.add(lane);
    alarm.ring();
    return made.whenGone;
  };
  const finish = gather(async (outcomes: readonly Outcome[]) => {
    await probes.finish(self, outcomes);
    return outcomes;
  });

  const outcomeOf = (claim: Claim, answer: ProbeAnswer): Outcome => {
    const { party, avoid } = claim;
    if (refusals.note(party, answer)) {
      const reply = answer.mailbox.reply?.text ?? null;
      probes.block(self, party, blockMs, reply).then(members.refresh).catch(onError);
    }
    const others = [...avoid, self.name];
    const goesOn = refusesUs(answer) && others.length < mostRefusals && members.hasOther(party, others);
    return goesOn ? { claim, answer: null, avoidUs: true } : { claim, answer };
  };
  const ask = async (lane: HeldLane, claim: Claim): Promise<void> => {
    const signal = lane.signalFor(claim);
    lane.underWay.set(claim.id, claim);
    try {
      const answer = await prober.probe({ ...claim.request, patient: false }, signal);
      answered++;
      // What ended only because we do is no answer.
      if (!signal.aborted) await finish(outcomeOf(claim, answer));
    } catch (error) {
      // A lane that is lost is somebody else's, with all that was under way in it.
      if (signal.aborted) return;
      onError(error);
      const answer = claim.attempts < mostAttempts ? null : failedAnswer;
      await finish({ claim, answer }).catch(() => {});
    } finally {
      lane.underWay.delete(claim.id);
      lane.busyAt = performance.now();
      alarm.ring();
    }
  };
  const claimMore = async (): Promise<void> => {
    const most = mostUnderWay - held.underWay();
    const open = held
      .all()
      .filter((lane) => lane.mayHaveMore && !lane.isLeaving && lane.underWay.size < mostInLane / 2);
    if (stopping || most <= 0 || open.length === 0) return;
    for (const lane of open) lane.mayHaveMore = false;
    const { alive, shunned } = view();
    const perLane = mostInLane / 2;
    const wishes = { lease: randomUUID(), lanes: open.map(({ lane }) => lane), perLane, most, alive, shunned };
    let claims: Claim[];
    try {
      claims = await probes.claim(self, wishes);
    } catch (error) {
      for (const lane of open) lane.mayHaveMore = true;
      throw error;
    }
    const counts = new Map<string, number>();
    for (const claim of claims) {
      counts.set(claim.lane, (counts.get(claim.lane) ?? 0) + 1);
      const lane = held.get(claim.lane);
      // A lane that was lost meanwhile took its claims with it.
      if (lane !== undefined) void ask(lane, claim);
    }
    for (const lane of open)
      if (claims.length >= most || (counts.get(lane.lane) ?? 0) >= perLane) lane.mayHaveMore = true;
  };

  const lose = (lane: HeldLane): void => {
    lane.underWay.clear();
    held.remove(lane);
  };
  const renew = async (): Promise<void> => {
    const from = performance.now();
    const leased = held.leased();
    if (leased.length > 0) {
      const ours = await lanes.renew(
        self,
        leased.map(({ lane }) => lane),
        leaseMs,
      );
      const byName = new Map(ours.map((each) => [each.lane, each]));
      for (const lane of leased) {
        const found = byName.get(lane.lane);
        if (found === undefined) lose(lane);
        else if (found.wanted) lane.isLeaving = true;
      }
    }
    renewedAt = from;
  };
  const letGo = async (): Promise<void> => {
    const now = performance.now();
    const idle = (lane: HeldLane): boolean =>
      lane.underWay.size === 0 && (lane.isLeaving || (!lane.mayHaveMore && now - lane.busyAt > lingerMs));
    const done = held.all().filter(idle);
    for (const lane of done) held.remove(lane);
    const leased = done.filter(({ isLeased }) => isLeased).map(({ lane }) => lane);
    if (leased.length > 0) await lanes.release(self, leased);
  };
  /** What the queue forgot, what others must leave to us, and what a broken connection lost. */
  const lookAround = async (): Promise<void> => {
    if (stopping) return;
    const found = await lanes.waiting(self, view(), forgottenMs, mostLanes - Math.min(mostLanes, held.all().length));
    for (const lane of found) if (isOpenLane(lane)) held.add(lane).mayHaveMore = true;
    for (const lane of found) if (!isOpenLane(lane)) run(lane).catch(onError);
    await lanes.want(self, view(), forgottenMs);
    await probes.giveBackStrays(
      self,
      held.claims().map(({ id }) => id),
    );
    await database.writeRepeatable((sql) =>
      sql.run(
        'UPDATE mailvet.workers SET takes_lanes = true, lanes = $1, probes = $2, answered = $3 WHERE id = $4',
        ...[held.leased().length, held.underWay(), answered, self.id],
      ),
    );
  };

  listener.hear(lanesChannel, (said) => {
    if (said === null) for (const lane of held.all()) lane.mayHaveMore = true;
    else {
      for (const lane of wordsOf(said)) {
        const known = held.get(lane) ?? (isOpenLane(lane) && !stopping ? held.add(lane) : undefined);
        if (known !== undefined) known.mayHaveMore = true;
      }
    }
    alarm.ring();
  });
  /** Whoever was stopped, or has no database, must not go on: his lanes may be in other hands. */
  const watch = setInterval(() => {
    if (performance.now() - renewedAt < leaseMs - renewMs / 2) return;
    for (const lane of held.leased()) lose(lane);
  }, 200).unref();

  const working = (async () => {
    while (!stopping || held.all().length > 0) {
      try {
        if (performance.now() - renewedAt >= renewMs) await renew();
        await claimMore();
        await letGo();
        if (performance.now() - lookedAt >= lookMs) {
          lookedAt = performance.now();
          await lookAround();
        }
      } catch (error) {
        onError(error);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      await alarm.sleep(200);
    }
  })();
  const stopServing = queue.serve(run, mostLanes);

  return {
    stop: async () => {
      stopping = true;
      const until = performance.now() + drainMs;
      for (const lane of held.all()) lane.isLeaving = true;
      while (held.underWay() > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
      const left = held.claims();
      for (const lane of held.all()) lane.stop();
      if (left.length > 0)
        await probes
          .finish(
            self,
            left.map((claim) => ({ claim, answer: null })),
          )
          .catch(onError);
      alarm.ring();
      await working;
      clearInterval(watch);
      await stopServing();
    },
  };
}

const failedAnswer: ProbeAnswer = {
  mailbox: {
    outcome: { state: 'unknown', reason: 'exception_occurred' },
    ...{ host: null, ip: null, reply: null, rule: null, certainty: 0, retryAt: null, dialogue: [] },
  },
  catchAll: { outcome: 'not_run', source: null, reply: null },
};
