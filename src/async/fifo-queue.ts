/** First in, first out. */
export interface FifoQueue<Item> extends Iterable<Item> {
  push(item: Item): void;
  shift(): Item | undefined;
  peek(): Item | undefined;
  isEmpty(): boolean;
  size(): number;
}

/** An empty queue with constant-time `shift`; `Array.shift` moves all other items. */
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
    peek: () => items[head],
    isEmpty: () => head === items.length,
    size: () => items.length - head,
    [Symbol.iterator]: () => (items.slice(head) as Item[]).values(),
  };
}
