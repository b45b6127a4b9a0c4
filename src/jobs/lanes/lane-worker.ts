import { sleep, systemClock } from '../../async/clock.js';
import { createSignal } from '../../async/signal.js';
import type { Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { askClaims } from './ask-claims.js';
import { hurryChannel, lanesChannel, wordsOf } from './channels.js';
import { openHeldLanes } from './held-lanes.js';
import { byKind, keepLanes } from './keep-lanes.js';
import { isOpenLane, laneCount } from './lane-of.js';
import type { LaneQueue } from './lane-queue.js';
import { laneTable, type View } from './lane-table.js';
import type { Members } from './members.js';
import { workerTable } from './worker-table.js';

interface LaneWorkerOptions {
  cluster: Cluster;
  queue: LaneQueue;
  members: Members;
  /** Asks mail hosts, within the limits of each. */
  prober: Prober;
  /** How many sessions that has at a time. */
  sessions: number;
  onError(failure: unknown): void;
}

const lookMs = 1_000;
/** While another has enough to do, and this one has not. */
const hungryLookMs = 250;
/** Between two searches for what a broken connection lost. */
const straysMs = 5_000;
const fewestLanes = 32;
const pauseMs = 200;
const drainMs = 8_000;

/** Starts to take lanes, from the queue and from what the queue forgot; gives the function that stops that. */
export function startLaneWorker(options: LaneWorkerOptions): () => Promise<void> {
  const { cluster, queue, members, prober, sessions, onError } = options;
  const { database, presence, listener } = cluster;
  const self = { id: presence.id, name: presence.name };
  const probes = workerTable(database);
  const held = openHeldLanes();
  const keeper = keepLanes(self, laneTable(database), held);
  const alarm = createSignal(systemClock);
  const asking = askClaims({ self, probes, held, members, prober, sessions, onEnd: alarm.notify, onError });
  let stopping = false;
  let hurry = false;
  let goneBy = Number.POSITIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let strayedAt = Number.NEGATIVE_INFINITY;

  const hurryUp = (): void => {
    hurry = true;
    alarm.notify();
  };
  /** A fair share of all lanes, so that those who come later find some. */
  const mostLanes = (): number => Math.max(fewestLanes, Math.ceil(laneCount / Math.max(1, members.names().length)));
  const run = async (lane: string): Promise<void> => {
    if (stopping || (held.get(lane) === undefined && held.leased().length >= mostLanes())) return;
    const taken = await keeper.take(lane);
    if (taken === null) return;
    taken.mayHaveMore = true;
    // Somebody may wait in it, for whom there is room even where there is none for jobs.
    hurryUp();
    await taken.whenGone;
  };
  const lookAround = async (): Promise<void> => {
    const isHungry = asking.isHungry();
    if (performance.now() - lookedAt < (isHungry && members.hasBusy() ? hungryLookMs : lookMs)) return;
    lookedAt = performance.now();
    serving.limit(mostLanes());
    // Who has enough to do leaves the rest to those who have not.
    const part = asking.isFull() ? members.hungryPart() : 0;
    const found = byKind(await keeper.findForgotten(viewOf(members, self.name), mostLanes(), part > 0));
    for (const lane of found.open) held.add(lane).mayHaveMore = true;
    for (const lane of found.closed) run(lane).catch(onError);
    if (part > 0) keeper.share(part);
    if (performance.now() - strayedAt >= straysMs) {
      strayedAt = performance.now();
      await probes.giveBackStrays(self, held.claims());
    }
    await probes.report(self, {
      ...{ lanes: held.leased().length, probes: held.underWay(), answered: asking.answered() },
      hungry: isHungry,
    });
  };

  listener.hear(lanesChannel, (said) => {
    const lanes = said === null ? held.all().map(({ lane }) => lane) : wordsOf(said);
    for (const lane of lanes) {
      const known = held.get(lane) ?? (isOpenLane(lane) && !stopping ? held.add(lane) : undefined);
      if (known !== undefined) known.mayHaveMore = true;
    }
  });
  listener.hear(hurryChannel, hurryUp);
  const serving = queue.serve(run, mostLanes());
  // Beside all else: whoever is slow at asking still holds his lanes.
  const renewing = setInterval(() => void keeper.renew().catch(() => {}), pauseMs).unref();
  const working = (async () => {
    while (!stopping || (held.all().length > 0 && performance.now() < goneBy)) {
      try {
        const inHurry = hurry;
        hurry = false;
        if (!stopping) await asking.more(viewOf(members, self.name).shunned, inHurry);
        await keeper.letGo();
        if (!stopping) await lookAround();
      } catch {
        // A database that went away is told of by the store; who waited is not forgotten.
        hurry = true;
        await sleep(systemClock, 2 * pauseMs);
      }
      await alarm.wait(pauseMs);
    }
  })();

  return async () => {
    stopping = true;
    for (const lane of held.all()) lane.isLeaving = true;
    const until = performance.now() + drainMs;
    goneBy = until + drainMs / 2;
    while (held.underWay() > 0 && performance.now() < until) await sleep(systemClock, pauseMs / 4);
    const left = held.claims();
    for (const lane of held.all()) lane.stop();
    const givenBack = left.map((claim) => ({ claim, answer: null }));
    if (left.length > 0) await probes.finish(self, givenBack).catch(onError);
    alarm.notify();
    await working;
    clearInterval(renewing);
    keeper.close();
    await serving.stop();
    await probes.retire(self).catch(() => {});
  };
}

/** What a worker knows of the others. */
function viewOf(members: Members, name: string): View {
  return {
    shunned: members.refusedBy(name).filter((party) => members.hasOther(party, [name])),
    refusedOthers: members.refusedOthers(name),
  };
}
