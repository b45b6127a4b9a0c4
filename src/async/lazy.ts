/** Something that is opened once, at its first use, and again after a failure. */
export function lazy<T>(open: () => Promise<T>) {
  let opening: Promise<T> | null = null;
  return {
    get: (): Promise<T> => {
      opening ??= open().catch((error: unknown) => {
        opening = null;
        throw error;
      });
      return opening;
    },
    /** Null if nothing was opened, or if that failed. */
    opened: async (): Promise<T | null> => opening?.catch(() => null) ?? null,
  };
}
