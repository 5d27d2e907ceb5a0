// Asks together: whatever is asked for while the database is busy with one question goes into the next.

/** As many as fit well into one query. */
const MAX_TOGETHER = 500;
/** A second question may be under way while the first is being answered; more would only queue. */
const MAX_QUESTIONS = 2;

interface Asked<Key, Answer> {
  readonly key: Key;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** One at a time, of what answers many at once. Nobody gets an answer that is older than the question. */
export function askTogether<Key, Answer>(
  answerAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>,
): (key: Key) => Promise<Answer | undefined> {
  let waiting: Asked<Key, Answer>[] = [];
  let questions = 0;

  async function ask(): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.slice(0, MAX_TOGETHER);
      waiting = waiting.slice(MAX_TOGETHER);
      try {
        const answers = await answerAll([...new Set(asked.map(({ key }) => key))]);
        for (const { key, resolve } of asked) resolve(answers.get(key));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    questions -= 1;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (questions >= MAX_QUESTIONS) return;
      questions += 1;
      // Not at once: those that arrive in the same turn of the event loop come along.
      setImmediate(ask);
    });
}
