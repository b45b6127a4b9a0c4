/** Rejects with `late` unless the work settles within `ms`. The work itself is not stopped. */
export async function withTimeout<Result>(work: Promise<Result>, ms: number, late: Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, late);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
