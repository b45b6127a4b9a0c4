import { fairLine, type Share } from './fair-line.js';

/** Lets so many in at a time, urgent ones and then owners in turn; whoever is in gives his place back by what he was given. */
export function fairPlaces(most: number): (share: Share) => Promise<() => void> {
  const line = fairLine<(leave: () => void) => void>();
  let inside = 0;
  const admit = (): void => {
    if (inside >= most) return;
    const enter = line.next();
    if (enter === undefined) return;
    inside++;
    enter(() => {
      inside--;
      admit();
    });
  };
  return (share) =>
    new Promise((resolve) => {
      line.add(resolve, share);
      admit();
    });
}
