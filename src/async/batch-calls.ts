/** Gathers what is asked while the batch before is under way, and asks for it as one; gives the function that asks. */
export function gather<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let waiting: { question: Question; answer(value: Answer): void; fail(reason: unknown): void }[] = [];
  let underWay = false;

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const answers = await askAll(batch.map(({ question }) => question));
        for (const [index, { answer }] of batch.entries()) answer(answers[index] as Answer);
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    underWay = false;
  };

  return (question) =>
    new Promise((answer, fail) => {
      waiting.push({ question, answer, fail });
      if (underWay) return;
      underWay = true;
      // All requests that came with this one are to be in the first batch.
      setImmediate(() => void run());
    });
}
