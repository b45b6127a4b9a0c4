import { createSemaphore, type Semaphore } from './semaphore.js';

/** Bounds of `mapInOrder`. */
interface Window<Item, Answer> {
  /** Items that may be under way at a time. */
  maxOpen: number;
  /** Items that may be read ahead of the oldest one that is unanswered. */
  maxAhead: number;
  /** Answers that may wait for the reader of them while none is open: more would only fill memory. */
  maxReady: number;
  /** Called every few items: a promise where it is time to let others have the thread. */
  maybeYield?(): Promise<void> | null;
  /** Stands for an item without an answer where the work fails, so that nothing answered behind it is lost. */
  unanswered?(item: Item): Answer;
}

/** Looking at the clock takes a thirtieth of the time that an address takes at syntax level. */
const perLook = 16;

/** The state of one chunk: its answers as they come, and how many of them were handed on. */
interface Slot<Item, Answer> {
  items: readonly Item[];
  answers: (Answer | undefined)[];
  known: boolean[];
  taken: number;
}

/**
 * Maps chunks of items to answers, many at a time, and gives the answers in input order as soon as they are known. An item that
 * waits may give its place to another meanwhile.
 */
export async function* mapInOrder<Item, Answer>(
  chunks: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  answer: (item: Item, places: Semaphore) => Answer | Promise<Answer>,
  { maxOpen, maxAhead, maxReady, maybeYield = noPause, unanswered }: Window<Item, Answer>,
): AsyncGenerator<Answer[]> {
  const slots: Slot<Item, Answer>[] = [];
  let open = 0;
  let ahead = 0;
  let ended = false;
  let stopped = false;
  let failure: { error: unknown } | null = null;
  let wakeReader = noop;
  let wakeWriter = noop;
  const places = createSemaphore(
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
    places.release();
    wakeReader();
    if (slot === slots[0]) wakeWriter();
  };

  const read = async (): Promise<void> => {
    for await (const chunk of chunks) {
      const slot = slotFor<Item, Answer>(chunk);
      slots.push(slot);
      for (let index = 0; index < chunk.length; index++) {
        while (!stopped && failure === null && (places.isFull() || ahead >= (open === 0 ? maxReady : maxAhead))) {
          wakeWriter();
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
        }
        const paused = index % perLook === 0 ? maybeYield() : null;
        if (paused !== null) await paused;
        if (stopped || failure !== null) return;
        const value = answer(chunk[index] as Item, places);
        ahead++;
        if (value instanceof Promise) {
          open++;
          places.acquireNow();
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
        if (unanswered !== undefined) yield* takeRest(slots, unanswered);
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

function noPause(): null {
  return null;
}

function slotFor<Item, Answer>(items: readonly Item[]): Slot<Item, Answer> {
  const { length } = items;
  return { items, answers: new Array(length), known: new Array(length).fill(false), taken: 0 };
}

/** The answers known from the front, up to the first gap of the first chunk that has one. */
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

/** All that is known behind the first gap, with something in place of the gaps. */
function* takeRest<Item, Answer>(
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
