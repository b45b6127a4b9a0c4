import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinList, leaveList } from '../../../src/net/dns/swap-list.js';

test('everyone who joined and has not left is in the list, once, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (moves) => {
      const items = Array.from({ length: 10 }, (_, name) => ({ name, place: -1 }));
      const list: typeof items = [];
      const inside = new Set<number>();
      for (const item of moves.flatMap((move) => items[move] ?? [])) {
        if (inside.has(item.name)) {
          expect(leaveList(list, item)).toBe(true);
          inside.delete(item.name);
        } else {
          expect(leaveList(list, item)).toBe(false);
          joinList(list, item);
          inside.add(item.name);
        }
      }
      expect(list.map(({ name }) => name).sort()).toEqual([...inside].sort());
      for (const [place, item] of list.entries()) expect(item.place).toBe(place);
    }),
  );
});
