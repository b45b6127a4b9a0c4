import { type Caller, type Priority, priorities } from './caller.js';
import { createFifoQueue, type FifoQueue } from './fifo-queue.js';

/** Every n-th turn goes to the lowest priority that waits, so that it is never starved. */
const lowestPriorityEvery = 8;

interface Entry<Item> {
  item: Item;
  caller: Caller;
  /** Removed entries stay in their FIFO until they reach its front. */
  isRemoved: boolean;
}

interface TaskQueue<Item> {
  fifo: FifoQueue<Entry<Item>>;
  size: number;
}

type CanRun<Item> = (item: Item, caller: Caller) => boolean;

const always = (): boolean => true;

/** The FIFO of each task of each owner. The first owner and the first task are next: served ones move to the end. */
type Owners<Item> = Map<string, Map<string, TaskQueue<Item>>>;

/**
 * A queue that serves by priority, then owners in turn, then the tasks of an owner in turn. An owner that comes late starts with the
 * current turn. Items must be distinct.
 */
export class FairQueue<Item> {
  private readonly entries = new Map<Item, Entry<Item>>();
  private readonly levels = new Map<Priority, Owners<Item>>(priorities.map((priority) => [priority, new Map()]));
  private turn = 1;

  get size(): number {
    return this.entries.size;
  }

  /** Appends the item; one that waits already moves to the end of its caller's items. */
  add(item: Item, caller: Caller): void {
    this.remove(item);
    const entry = { item, caller, isRemoved: false };
    this.entries.set(item, entry);
    const owners = this.ownersOf(caller);
    const tasks = owners.get(caller.owner) ?? new Map<string, TaskQueue<Item>>();
    if (tasks.size === 0) owners.set(caller.owner, tasks);
    const task = tasks.get(caller.taskId) ?? { fifo: createFifoQueue<Entry<Item>>(), size: 0 };
    if (task.size === 0) tasks.set(caller.taskId, task);
    task.fifo.push(entry);
    task.size++;
  }

  remove(item: Item): boolean {
    const entry = this.entries.get(item);
    if (entry === undefined) return false;
    entry.isRemoved = true;
    this.deleteEntry(entry);
    return true;
  }

  /** The item whose turn it is, of those that may run now; it stays. */
  peek(canRun: CanRun<Item> = always): Item | undefined {
    return this.findNext(canRun)?.item;
  }

  /** Takes the item whose turn it is, of those that may run now. */
  next(canRun: CanRun<Item> = always): Item | undefined {
    const entry = this.findNext(canRun);
    if (entry !== undefined) this.serve(entry);
    return entry?.item;
  }

  /** Takes this item, and charges its caller's turn. */
  take(item: Item): void {
    const entry = this.entries.get(item);
    if (entry !== undefined) this.serve(entry);
  }

  /** Priorities that wait, the highest first. */
  waitingPriorities(): Priority[] {
    return [...this.levels].filter(([, owners]) => owners.size > 0).map(([priority]) => priority);
  }

  /** Owners that wait with a priority. */
  waitingOwners(priority: Priority): Iterable<string> {
    return this.levels.get(priority)?.keys() ?? [];
  }

  /** All items, grouped by caller: the first is the next one, the others need not be in the order of their turns. */
  *[Symbol.iterator](): Generator<Item> {
    for (const owners of this.levels.values()) {
      for (const tasks of owners.values()) {
        for (const { fifo } of tasks.values()) {
          for (const { item, isRemoved } of fifo) if (!isRemoved) yield item;
        }
      }
    }
  }

  private ownersOf({ priority }: Caller): Owners<Item> {
    return this.levels.get(priority) ?? new Map();
  }

  private findNext(canRun: CanRun<Item>): Entry<Item> | undefined {
    if (this.size === 0) return undefined;
    const levels = [...this.levels.values()];
    if (this.turn % lowestPriorityEvery === 0) levels.reverse();
    for (const owners of levels) {
      const entry = firstRunnable(owners, canRun);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  /** Removes the entry, and moves its task and owner to the end of their turns. */
  private serve(entry: Entry<Item>): void {
    this.turn++;
    entry.isRemoved = true;
    const { owner, taskId } = entry.caller;
    const owners = this.ownersOf(entry.caller);
    const tasks = owners.get(owner);
    const task = tasks?.get(taskId);
    if (tasks !== undefined && task !== undefined) {
      moveToEnd(tasks, taskId, task);
      moveToEnd(owners, owner, tasks);
    }
    this.deleteEntry(entry);
  }

  private deleteEntry({ item, caller }: Entry<Item>): void {
    this.entries.delete(item);
    const owners = this.ownersOf(caller);
    const tasks = owners.get(caller.owner);
    const task = tasks?.get(caller.taskId);
    if (tasks === undefined || task === undefined || --task.size > 0) return;
    tasks.delete(caller.taskId);
    if (tasks.size === 0) owners.delete(caller.owner);
  }
}

/** Examines only the front of each task: a caller's items wait for each other. */
function firstRunnable<Item>(owners: Owners<Item>, canRun: CanRun<Item>): Entry<Item> | undefined {
  for (const tasks of owners.values()) {
    for (const { fifo } of tasks.values()) {
      while (fifo.peek()?.isRemoved === true) fifo.shift();
      const entry = fifo.peek();
      if (entry !== undefined && canRun(entry.item, entry.caller)) return entry;
    }
  }
  return undefined;
}

function moveToEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size === 1) return;
  map.delete(key);
  map.set(key, value);
}
