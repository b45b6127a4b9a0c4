/**
 * The same work, of which many items may be under way: once one of them fails, nothing new begins, and the error comes when all that
 * had begun is over. So no answer that is on its way is lost.
 */
export function drainOnFailure<Item, Answer>(work: (item: Item) => Promise<Answer>): (item: Item) => Promise<Answer> {
  const underWay = new Set<Promise<Answer>>();
  let failing: Promise<never> | null = null;
  const failed = (error: unknown): Promise<never> => {
    failing ??= Promise.allSettled(underWay).then(() => {
      throw error;
    });
    return failing;
  };
  return (item) => {
    if (failing !== null) return failing;
    const run = work(item);
    underWay.add(run);
    return run.then((answer) => {
      underWay.delete(run);
      return answer;
    }, failed);
  };
}
