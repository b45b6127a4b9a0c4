import { isMoreUrgent, type Share } from '../../async/fair-line.js';

type Urgency = Share['urgency'];

/** Those who wait for a slot. However many they are, it takes no longer to find who is next than there are owners. */
interface SlotLine<Seeker> {
  /** Stands in line as that share, whatever it was before. */
  join(seeker: Seeker, share: Share): void;
  leave(seeker: Seeker): void;
  /** The most urgent, and of those one whose owner got least; none of `tried`, which are the last to have joined. */
  next(granted: ReadonlyMap<string, number>, tried: ReadonlySet<Seeker>): { seeker: Seeker; share: Share } | null;
  /** What they wait for, the most urgent first. */
  urgencies(): Urgency[];
  all(): Iterable<Seeker>;
  size(): number;
}

/** An empty line. */
export function slotLine<Seeker>(): SlotLine<Seeker> {
  const shares = new Map<Seeker, Share>();
  const byUrgency = new Map<Urgency, Map<string, Set<Seeker>>>();

  const leave = (seeker: Seeker): void => {
    const share = shares.get(seeker);
    if (share === undefined) return;
    shares.delete(seeker);
    const owners = byUrgency.get(share.urgency);
    const same = owners?.get(share.owner);
    same?.delete(seeker);
    if (same?.size === 0) owners?.delete(share.owner);
    if (owners?.size === 0) byUrgency.delete(share.urgency);
  };
  const urgencies = (): Urgency[] => [...byUrgency.keys()].sort((a, b) => (goesBefore(a, b) ? -1 : 1));
  return {
    join: (seeker, share) => {
      leave(seeker);
      shares.set(seeker, share);
      const owners = byUrgency.get(share.urgency) ?? new Map<string, Set<Seeker>>();
      byUrgency.set(share.urgency, owners);
      owners.set(share.owner, (owners.get(share.owner) ?? new Set()).add(seeker));
    },
    leave,
    next: (granted, tried) => {
      for (const urgency of urgencies()) {
        let best: { seeker: Seeker; share: Share; got: number } | null = null;
        for (const [owner, seekers] of byUrgency.get(urgency) ?? []) {
          const got = granted.get(owner) ?? 0;
          if (best !== null && best.got <= got) continue;
          const seeker = firstBut(seekers, tried);
          const share = seeker === undefined ? undefined : shares.get(seeker);
          if (seeker !== undefined && share !== undefined) best = { seeker, share, got };
        }
        if (best !== null) return best;
      }
      return null;
    },
    urgencies,
    all: () => shares.keys(),
    size: () => shares.size,
  };
}

function firstBut<Seeker>(seekers: Iterable<Seeker>, tried: ReadonlySet<Seeker>): Seeker | undefined {
  for (const seeker of seekers) if (!tried.has(seeker)) return seeker;
  return undefined;
}

function goesBefore(a: Urgency, b: Urgency): boolean {
  return isMoreUrgent({ urgency: a, owner: '', work: '' }, { urgency: b, owner: '', work: '' });
}
