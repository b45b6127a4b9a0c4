/** Wraps concurrent work: after a failure nothing new starts, and the error is thrown once all running work is done, so that no answer is lost. */
export function drainOnFailure<Item, Answer>(work: (item: Item) => Promise<Answer>): (item: Item) => Promise<Answer> {
  const running = new Set<Promise<Answer>>();
  let failing: Promise<never> | null = null;
  const failAfterOthers = (error: unknown): Promise<never> => {
    failing ??= Promise.allSettled(running).then(() => {
      throw error;
    });
    return failing;
  };
  return (item) => {
    if (failing !== null) return failing;
    const run = work(item);
    running.add(run);
    return run.then((answer) => {
      running.delete(run);
      return answer;
    }, failAfterOthers);
  };
}
