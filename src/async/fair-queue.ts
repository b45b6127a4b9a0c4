import { createFifoQueue, type FifoQueue } from './fifo-queue.js';

/** Whose work something is, so that turns can be shared out. */
export interface Caller {
  /** What somebody waits for at this moment comes first: a single request, then a bulk request, then a job. */
  priority: 'single' | 'bulk' | 'job';
  /** Who asked for it: those who ask caller alike, however much each of them asks. */
  owner: string;
  /** One of the owner's pieces of work; they caller alike what the owner gets. */
  work: string;
}

/** A line in which everybody moves on: urgent work first, then owners in turn, then each owner's pieces of work in turn. */
export interface FairQueue<Item> {
  add(item: Item, caller: Caller): void;
  /** Takes out whose turn it is; undefined where nobody waits. `mayGo` holds back all that is of an priority. */
  next(mayGo?: (priority: Caller['priority']) => boolean): Item | undefined;
  size(): number;
}

const priorities = ['single', 'bulk', 'job'] as const;
/** So many turns go to what is urgent before the rest gets one: it waits longer, and never for ever. */
const turnsBeforeLowest = 8;

/** Goes before the other wherever both wait. */
export function hasHigherPriority(a: Caller, b: Caller): boolean {
  return priorities.indexOf(a.priority) < priorities.indexOf(b.priority);
}

/** An empty line. */
export function createFairQueue<Item>(): FairQueue<Item> {
  const waiting = priorities.map((priority) => ({ priority, owners: new Map<string, Map<string, FifoQueue<Item>>>() }));
  let size = 0;
  let turns = 0;

  const take = (owners: Map<string, Map<string, FifoQueue<Item>>>): Item | undefined => {
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
    add: (item, { priority, owner, work }) => {
      size++;
      const { owners } = waiting[priorities.indexOf(priority)] ?? { owners: new Map() };
      const works = owners.get(owner) ?? new Map<string, FifoQueue<Item>>();
      if (works.size === 0) owners.set(owner, works);
      const queue = works.get(work) ?? createFifoQueue<Item>();
      if (queue.isEmpty()) works.set(work, queue);
      queue.push(item);
    },
    next: (mayGo = () => true) => {
      if (size === 0) return undefined;
      const open = ({ priority, owners }: (typeof waiting)[number]) => owners.size > 0 && mayGo(priority);
      const chosen = ++turns % turnsBeforeLowest === 0 ? waiting.findLast(open) : waiting.find(open);
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
