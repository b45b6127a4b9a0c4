/** First in, first out. */
export interface FifoQueue<Item> {
  push(item: Item): void;
  shift(): Item | undefined;
  isEmpty(): boolean;
}

/** An empty queue; taking from the front of a long array would move all the rest. */
export function createFifoQueue<Item>(): FifoQueue<Item> {
  let items: (Item | undefined)[] = [];
  let head = 0;
  return {
    push: (item) => {
      items.push(item);
    },
    shift: () => {
      if (head === items.length) return undefined;
      const item = items[head];
      items[head++] = undefined;
      if (head > 1_024 && head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    isEmpty: () => head === items.length,
  };
}
