import { createSemaphore, type Semaphore } from './semaphore.js';

/** Bounds of `mapInOrder`. */
interface Window<Item, Answer> {
  /** Items in flight. */
  maxOpen: number;
  /** Items read ahead of the oldest unanswered one. */
  maxAhead: number;
  /** Answers buffered for the consumer while no item is in flight. */
  maxReady: number;
  /** Called every few items; a promise means to wait for the next time slice. */
  maybeYield?(): Promise<void> | null;
  /** The answer for an unanswered item when the work fails, so that later answers are not lost. */
  unanswered?(item: Item): Answer;
}

/** Items between two checks of the time slice. */
const itemsPerCheck = 16;

/** One chunk: its answers so far, and how many of them were yielded. */
interface Slot<Item, Answer> {
  items: readonly Item[];
  answers: (Answer | undefined)[];
  known: boolean[];
  taken: number;
}

/**
 * Maps chunks of items to answers concurrently, and yields the answers in input order as soon as they are known. An item that only
 * waits may release its slot of the semaphore meanwhile.
 */
export async function* mapInOrder<Item, Answer>(
  chunks: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  answer: (item: Item, semaphore: Semaphore) => Answer | Promise<Answer>,
  { maxOpen, maxAhead, maxReady, maybeYield = neverYield, unanswered }: Window<Item, Answer>,
): AsyncGenerator<Answer[]> {
  const slots: Slot<Item, Answer>[] = [];
  let open = 0;
  let ahead = 0;
  let ended = false;
  let stopped = false;
  let failure: { error: unknown } | null = null;
  let wakeReader = noop;
  let wakeWriter = noop;
  const semaphore = createSemaphore(
    () => maxOpen,
    () => wakeReader(),
  );

  const fail = (error: unknown): void => {
    failure ??= { error };
    ended = true;
    wakeWriter();
    wakeReader();
  };

  const settle = (slot: Slot<Item, Answer>, index: number, value: Answer): void => {
    slot.answers[index] = value;
    slot.known[index] = true;
    open--;
    semaphore.release();
    wakeReader();
    if (slot === slots[0]) wakeWriter();
  };

  const read = async (): Promise<void> => {
    for await (const chunk of chunks) {
      const slot = slotFor<Item, Answer>(chunk);
      slots.push(slot);
      for (let index = 0; index < chunk.length; index++) {
        while (!stopped && failure === null && (semaphore.isFull() || ahead >= (open === 0 ? maxReady : maxAhead))) {
          wakeWriter();
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
        }
        const pause = index % itemsPerCheck === 0 ? maybeYield() : null;
        if (pause !== null) await pause;
        if (stopped || failure !== null) return;
        const value = answer(chunk[index] as Item, semaphore);
        ahead++;
        if (value instanceof Promise) {
          open++;
          semaphore.acquireNow();
          value.then((known) => settle(slot, index, known), fail);
        } else {
          slot.answers[index] = value;
          slot.known[index] = true;
        }
      }
      wakeWriter();
    }
    ended = true;
    wakeWriter();
  };
  const reading = read().catch(fail);

  try {
    for (;;) {
      const batch = takeKnown(slots);
      if (batch.length > 0) {
        ahead -= batch.length;
        wakeReader();
        yield batch;
        continue;
      }
      if (failure !== null) {
        if (unanswered !== undefined) yield* takeRemaining(slots, unanswered);
        throw (failure as { error: unknown }).error;
      }
      if (ended && slots.length === 0) return;
      await new Promise<void>((resolve) => {
        wakeWriter = resolve;
      });
    }
  } finally {
    stopped = true;
    wakeReader();
    if (failure === null && ended) await reading;
  }
}

function noop(): void {}

function neverYield(): null {
  return null;
}

function slotFor<Item, Answer>(items: readonly Item[]): Slot<Item, Answer> {
  const { length } = items;
  return { items, answers: new Array(length), known: new Array(length).fill(false), taken: 0 };
}

/** The answers known from the front, up to the first gap. */
function takeKnown<Item, Answer>(slots: Slot<Item, Answer>[]): Answer[] {
  const first = slots[0];
  if (first === undefined) return [];
  let end = first.taken;
  while (end < first.known.length && first.known[end] === true) end++;
  const batch = first.taken === 0 && end === first.known.length ? first.answers : first.answers.slice(first.taken, end);
  first.taken = end;
  if (end === first.known.length) {
    slots.shift();
    if (batch.length === 0) return takeKnown(slots);
  }
  return batch as Answer[];
}

/** All answers after the first gap, with substitutes for the gaps. */
function* takeRemaining<Item, Answer>(
  slots: readonly Slot<Item, Answer>[],
  unanswered: (item: Item) => Answer,
): Generator<Answer[]> {
  for (const { items, answers, known, taken } of slots) {
    const rest = items.slice(taken).map((item, at) => {
      const index = taken + at;
      return known[index] === true ? (answers[index] as Answer) : unanswered(item);
    });
    if (rest.length > 0) yield rest;
  }
}
