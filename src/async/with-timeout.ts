/** Rejects with `timeoutError` unless the work settles within `ms`. The work itself is not stopped. */
export async function withTimeout<Result>(work: Promise<Result>, ms: number, timeoutError: Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, timeoutError);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
