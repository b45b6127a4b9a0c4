import { makeQueue, type Queue } from './queue.js';

/** Whose work something is, so that turns can be shared out. */
export interface Share {
  /** What somebody waits for at this moment comes first: a single request, then a bulk request, then a job. */
  urgency: 'single' | 'bulk' | 'job';
  /** Who asked for it: those who ask share alike, however much each of them asks. */
  owner: string;
  /** One of the owner's pieces of work; they share alike what the owner gets. */
  work: string;
}

/** A line in which everybody moves on: urgent work first, then owners in turn, then each owner's pieces of work in turn. */
export interface FairLine<Item> {
  add(item: Item, share: Share): void;
  /** Takes out whose turn it is; undefined where nobody waits. `mayGo` holds back all that is of an urgency. */
  next(mayGo?: (urgency: Share['urgency']) => boolean): Item | undefined;
  size(): number;
}

const urgencies = ['single', 'bulk', 'job'] as const;
/** So many turns go to what is urgent before the rest gets one: it waits longer, and never for ever. */
const urgentTurns = 8;

/** Goes before the other wherever both wait. */
export function isMoreUrgent(a: Share, b: Share): boolean {
  return urgencies.indexOf(a.urgency) < urgencies.indexOf(b.urgency);
}

/** An empty line. */
export function fairLine<Item>(): FairLine<Item> {
  const waiting = urgencies.map((urgency) => ({ urgency, owners: new Map<string, Map<string, Queue<Item>>>() }));
  let size = 0;
  let turns = 0;

  const take = (owners: Map<string, Map<string, Queue<Item>>>): Item | undefined => {
    const [owner, works] = first(owners);
    const [work, queue] = first(works);
    const item = queue.shift();
    if (queue.isEmpty()) works.delete(work);
    else moveBack(works, work, queue);
    if (works.size === 0) owners.delete(owner);
    else moveBack(owners, owner, works);
    size--;
    return item;
  };
  return {
    add: (item, { urgency, owner, work }) => {
      size++;
      const { owners } = waiting[urgencies.indexOf(urgency)] ?? { owners: new Map() };
      const works = owners.get(owner) ?? new Map<string, Queue<Item>>();
      if (works.size === 0) owners.set(owner, works);
      const queue = works.get(work) ?? makeQueue<Item>();
      if (queue.isEmpty()) works.set(work, queue);
      queue.push(item);
    },
    next: (mayGo = () => true) => {
      if (size === 0) return undefined;
      const open = ({ urgency, owners }: (typeof waiting)[number]) => owners.size > 0 && mayGo(urgency);
      const chosen = ++turns % urgentTurns === 0 ? waiting.findLast(open) : waiting.find(open);
      return chosen === undefined ? undefined : take(chosen.owners);
    },
    size: () => size,
  };
}

/** Puts an entry behind all others. */
function moveBack<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size === 1) return;
  map.delete(key);
  map.set(key, value);
}

/** The entry that was put in longest ago. */
function first<Value>(map: Map<string, Value>): [string, Value] {
  for (const entry of map) return entry;
  throw new RangeError('Nobody waits.');
}
