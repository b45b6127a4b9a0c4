import { type Caller, hasHigherPriority } from '../../async/fair-queue.js';

type Urgency = Caller['priority'];

/** Those who wait for a slot. However many they are, it takes no longer to find who is next than there are owners. */
interface SlotLine<Seeker> {
  /** Stands in line as that caller, whatever it was before. */
  join(seeker: Seeker, caller: Caller): void;
  leave(seeker: Seeker): void;
  /** The most urgent, and of those one whose owner got least; none of `tried`, which are the last to have joined. */
  next(granted: ReadonlyMap<string, number>, tried: ReadonlySet<Seeker>): { seeker: Seeker; caller: Caller } | null;
  /** What they wait for, the most urgent first. */
  priorities(): Urgency[];
  all(): Iterable<Seeker>;
  size(): number;
}

/** An empty line. */
export function slotLine<Seeker>(): SlotLine<Seeker> {
  const shares = new Map<Seeker, Caller>();
  const byUrgency = new Map<Urgency, Map<string, Set<Seeker>>>();

  const leave = (seeker: Seeker): void => {
    const caller = shares.get(seeker);
    if (caller === undefined) return;
    shares.delete(seeker);
    const owners = byUrgency.get(caller.priority);
    const same = owners?.get(caller.owner);
    same?.delete(seeker);
    if (same?.size === 0) owners?.delete(caller.owner);
    if (owners?.size === 0) byUrgency.delete(caller.priority);
  };
  const priorities = (): Urgency[] => [...byUrgency.keys()].sort((a, b) => (goesBefore(a, b) ? -1 : 1));
  return {
    join: (seeker, caller) => {
      leave(seeker);
      shares.set(seeker, caller);
      const owners = byUrgency.get(caller.priority) ?? new Map<string, Set<Seeker>>();
      byUrgency.set(caller.priority, owners);
      owners.set(caller.owner, (owners.get(caller.owner) ?? new Set()).add(seeker));
    },
    leave,
    next: (granted, tried) => {
      for (const priority of priorities()) {
        let best: { seeker: Seeker; caller: Caller; got: number } | null = null;
        for (const [owner, seekers] of byUrgency.get(priority) ?? []) {
          const got = granted.get(owner) ?? 0;
          if (best !== null && best.got <= got) continue;
          const seeker = firstBut(seekers, tried);
          const caller = seeker === undefined ? undefined : shares.get(seeker);
          if (seeker !== undefined && caller !== undefined) best = { seeker, caller, got };
        }
        if (best !== null) return best;
      }
      return null;
    },
    priorities,
    all: () => shares.keys(),
    size: () => shares.size,
  };
}

function firstBut<Seeker>(seekers: Iterable<Seeker>, tried: ReadonlySet<Seeker>): Seeker | undefined {
  for (const seeker of seekers) if (!tried.has(seeker)) return seeker;
  return undefined;
}

function goesBefore(a: Urgency, b: Urgency): boolean {
  return hasHigherPriority({ priority: a, owner: '', work: '' }, { priority: b, owner: '', work: '' });
}
