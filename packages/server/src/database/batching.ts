// What many want of the database at about the same time goes there together: questions, and work.
// Whatever is asked for while the database is busy with one question goes into the next.

/** As many as fit well into one statement. */
const MAX_TOGETHER = 500;
/** A second question may be under way while the first is being answered; more would only queue. */
const MAX_QUESTIONS = 2;
/** What is done together takes about as long itself. */
const PATIENCE_MS = 20;

interface Asked<Key, Answer> {
  readonly key: Key;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** One at a time, of what answers many at once. Nobody gets an answer that is older than the question. */
export function batchLoad<Key, Answer>(
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

/** Somebody on the way to a piece of work that a group does together. */
export interface Companion<Item, Result> {
  arrive(item: Item): Promise<Result>;
  /** To be called in any case: others would wait for who does not come. */
  leave(): void;
}

interface Arrived<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<Item, Result> {
  /** Those who have not left, wherever they are. */
  companions: number;
  arrived: Arrived<Item, Result>[];
  isWorking: boolean;
  patience?: NodeJS.Timeout | undefined;
}

/**
 * For work that is hardly more for many than for one, and that those of a group cannot do at the same time. Who arrives
 * waits until half of those who are on their way have, but not long; who is alone does not wait.
 */
export function groupCommit<Item, Result>(
  doAll: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
): (groupName: string) => Companion<Item, Result> {
  const groups = new Map<string, Group<Item, Result>>();

  function consider(group: Group<Item, Result>): void {
    if (group.isWorking || group.arrived.length === 0) return;
    if (2 * group.arrived.length >= group.companions) void work(group);
    else group.patience ??= setTimeout(() => void work(group), PATIENCE_MS);
  }

  async function work(group: Group<Item, Result>): Promise<void> {
    clearTimeout(group.patience);
    group.patience = undefined;
    const [together, later] = [group.arrived.slice(0, MAX_TOGETHER), group.arrived.slice(MAX_TOGETHER)];
    group.arrived = later;
    group.isWorking = true;
    try {
      const results = await doAll(together.map(({ item }) => item));
      for (const [index, result] of results.entries()) together[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
    group.isWorking = false;
    consider(group);
  }

  return (groupName) => {
    const group = groups.get(groupName) ?? { companions: 0, arrived: [], isWorking: false };
    groups.set(groupName, group);
    group.companions += 1;
    return {
      arrive: (item) =>
        new Promise((resolve, reject) => {
          group.arrived.push({ item, resolve, reject });
          consider(group);
        }),
      leave() {
        group.companions -= 1;
        if (group.companions === 0) groups.delete(groupName);
        else consider(group);
      },
    };
  };
}
