/** Bounds of `mapInOrder`. */
export interface Window {
  /** Items that may be unanswered at a time. */
  maxOpen: number;
  /** Items that may be read ahead of the oldest one that is unanswered. */
  maxAhead: number;
  /** Answers that may wait for the reader of them while none is open: more would only fill memory. */
  maxReady: number;
}

/** The state of one chunk: its answers as they come, and how many of them were handed on. */
interface Slot<Answer> {
  answers: (Answer | undefined)[];
  known: boolean[];
  taken: number;
}

/** Maps chunks of items to answers, many at a time, and gives the answers in input order as soon as they are known. */
export async function* mapInOrder<Item, Answer>(
  chunks: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  answer: (item: Item) => Answer | Promise<Answer>,
  { maxOpen, maxAhead, maxReady }: Window,
): AsyncGenerator<Answer[]> {
  const slots: Slot<Answer>[] = [];
  let open = 0;
  let ahead = 0;
  let ended = false;
  let stopped = false;
  let failure: { error: unknown } | null = null;
  let wakeReader = noop;
  let wakeWriter = noop;

  const fail = (error: unknown): void => {
    failure ??= { error };
    ended = true;
    wakeWriter();
    wakeReader();
  };

  const settle = (slot: Slot<Answer>, index: number, value: Answer): void => {
    slot.answers[index] = value;
    slot.known[index] = true;
    open--;
    wakeReader();
    if (slot === slots[0]) wakeWriter();
  };

  const read = async (): Promise<void> => {
    for await (const chunk of chunks) {
      const slot: Slot<Answer> = {
        answers: new Array(chunk.length),
        known: new Array(chunk.length).fill(false),
        taken: 0,
      };
      slots.push(slot);
      for (let index = 0; index < chunk.length; index++) {
        while (!stopped && failure === null && (open >= maxOpen || ahead >= (open === 0 ? maxReady : maxAhead))) {
          wakeWriter();
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
        }
        if (stopped || failure !== null) return;
        const value = answer(chunk[index] as Item);
        ahead++;
        if (value instanceof Promise) {
          open++;
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
      if (failure !== null) throw (failure as { error: unknown }).error;
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

/** The answers known from the front, up to the first gap of the first chunk that has one. */
function takeKnown<Answer>(slots: Slot<Answer>[]): Answer[] {
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
