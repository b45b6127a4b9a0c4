import { createSemaphore, type Semaphore } from './semaphore.js';
import { afterIo, yieldToIo } from './yield-to-io.js';

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
  /** Called for each answer that was awaited, until the end. */
  onSettled?(answer: Answer): void;
}

/** Items between two checks of the time slice. */
const itemsPerCheck = 16;

/** One chunk: its answers so far, and how many of them were yielded. */
interface Slot<Item, Answer> {
  items: readonly Item[];
  answers: (Answer | undefined)[];
  isAnswered: boolean[];
  yieldedCount: number;
}

/**
 * Maps chunks of items to answers concurrently, and yields the answers in input order as soon as they are known. An item that only
 * waits may release its slot of the semaphore meanwhile.
 */
export async function* mapInOrder<Item, Answer>(
  chunks: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  answer: (item: Item, semaphore: Semaphore) => Answer | Promise<Answer>,
  { maxOpen, maxAhead, maxReady, maybeYield = neverYield, unanswered, onSettled = noop }: Window<Item, Answer>,
): AsyncGenerator<Answer[]> {
  const slots: Slot<Item, Answer>[] = [];
  let openCount = 0;
  let aheadCount = 0;
  let hasEnded = false;
  let isStopped = false;
  let failure: { error: unknown } | null = null;
  let wakeReader = noop;
  let wakeWriter = noop;
  const semaphore = createSemaphore(
    () => maxOpen,
    () => wakeReader(),
  );

  const fail = (error: unknown): void => {
    failure ??= { error };
    hasEnded = true;
    wakeWriter();
    wakeReader();
  };

  const settle = (slot: Slot<Item, Answer>, index: number, value: Answer): void => {
    // Too late: its item was yielded as unanswered, or the reader of the answers has gone.
    if (isStopped) return;
    onSettled(value);
    slot.answers[index] = value;
    slot.isAnswered[index] = true;
    openCount--;
    semaphore.release();
    wakeReader();
    if (slot === slots[0]) wakeWriter();
  };

  const read = async (): Promise<void> => {
    for await (const chunk of chunks) {
      const slot = slotFor<Item, Answer>(chunk);
      slots.push(slot);
      for (let index = 0; index < chunk.length; index++) {
        while (
          !isStopped &&
          failure === null &&
          (semaphore.isFull() || aheadCount >= (openCount === 0 ? maxReady : maxAhead))
        ) {
          wakeWriter();
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
        }
        const pause = index % itemsPerCheck === 0 ? maybeYield() : null;
        if (pause !== null) await pause;
        if (isStopped || failure !== null) return;
        const value = answer(chunk[index] as Item, semaphore);
        aheadCount++;
        if (value instanceof Promise) {
          openCount++;
          semaphore.acquireNow();
          value.then((settled) => settle(slot, index, settled)).catch(fail);
        } else {
          slot.answers[index] = value;
          slot.isAnswered[index] = true;
        }
      }
      wakeWriter();
    }
    hasEnded = true;
    wakeWriter();
  };
  const reading = read().catch(fail);

  try {
    for (;;) {
      const batch = takeAnswered(slots);
      if (batch !== null) {
        aheadCount -= batch.length;
        wakeReader();
        yield batch;
        continue;
      }
      if (failure !== null) {
        if (unanswered !== undefined) {
          // Items whose answers have come, and wait for their turn, are finished first.
          await yieldToIo();
          await afterIo();
          isStopped = true;
          // All at once: an answer that comes while they are yielded is too late.
          yield* takeRemaining(slots, unanswered);
        }
        throw (failure as { error: unknown }).error;
      }
      if (hasEnded && slots.length === 0) return;
      await new Promise<void>((resolve) => {
        wakeWriter = resolve;
      });
    }
  } finally {
    isStopped = true;
    wakeReader();
    if (failure === null && hasEnded) await reading;
  }
}

function noop(): void {}

function neverYield(): null {
  return null;
}

function slotFor<Item, Answer>(items: readonly Item[]): Slot<Item, Answer> {
  const { length } = items;
  return { items, answers: new Array(length), isAnswered: new Array(length).fill(false), yieldedCount: 0 };
}

/** The answers known from the front, up to the first gap; none for an empty chunk, and null if there are none yet. */
function takeAnswered<Item, Answer>(slots: Slot<Item, Answer>[]): Answer[] | null {
  const first = slots[0];
  if (first === undefined) return null;
  let end = first.yieldedCount;
  while (end < first.isAnswered.length && first.isAnswered[end] === true) end++;
  const batch =
    first.yieldedCount === 0 && end === first.isAnswered.length
      ? first.answers
      : first.answers.slice(first.yieldedCount, end);
  first.yieldedCount = end;
  const isWhole = end === first.isAnswered.length;
  if (isWhole) slots.shift();
  return isWhole || batch.length > 0 ? (batch as Answer[]) : null;
}

/** All answers after the first gap, with substitutes for the gaps. */
function takeRemaining<Item, Answer>(
  slots: readonly Slot<Item, Answer>[],
  unanswered: (item: Item) => Answer,
): Answer[][] {
  const remaining = slots.map(({ items, answers, isAnswered, yieldedCount }) =>
    items.slice(yieldedCount).map((item, offset) => {
      const index = yieldedCount + offset;
      return isAnswered[index] === true ? (answers[index] as Answer) : unanswered(item);
    }),
  );
  return remaining.filter((answers) => answers.length > 0);
}
