/** What several generators yield, as it comes. If one fails, the others are read to their end first. */
export async function* asTheyCome<Item>(...sources: readonly AsyncGenerator<Item>[]): AsyncGenerator<Item> {
  const failures: unknown[] = [];
  const next = async (source: AsyncGenerator<Item>) => {
    const result = await source.next().catch((error: unknown) => {
      failures.push(error);
      return { done: true as const, value: undefined };
    });
    return { source, result };
  };
  const pulls = new Map(sources.map((source) => [source, next(source)]));
  while (pulls.size > 0) {
    const { source, result } = await Promise.race(pulls.values());
    if (result.done) pulls.delete(source);
    else {
      pulls.set(source, next(source));
      yield result.value;
    }
  }
  if (failures.length > 0) throw failures[0];
}
