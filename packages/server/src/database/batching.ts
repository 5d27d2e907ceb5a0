// Batches what many callers need from the database at about the same time: reads, and commits of one group.

/** Number of items that fit well into one statement. */
const MAX_BATCH_SIZE = 500;
/** One load may be sent while the database works on another; more would only queue there. */
const MAX_CONCURRENT_LOADS = 2;
/** About as long as one commit takes. */
const MAX_COMMIT_WAIT_MS = 20;

interface Pending<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Loads single keys through a function that loads many. Every load starts after its caller asked: no result is stale. */
export function batchLoad<Key, Value>(
  loadMany: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  maxBatchSize = MAX_BATCH_SIZE,
): (key: Key) => Promise<Value | undefined> {
  let pending: Pending<Key, Value | undefined>[] = [];
  let activeLoads = 0;

  async function loadPending(): Promise<void> {
    while (pending.length > 0) {
      const batch = pending.slice(0, maxBatchSize);
      pending = pending.slice(maxBatchSize);
      try {
        const values = await loadMany([...new Set(batch.map(({ item }) => item))]);
        for (const { item, resolve } of batch) resolve(values.get(item));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    activeLoads -= 1;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      pending.push({ item: key, resolve, reject });
      if (activeLoads >= MAX_CONCURRENT_LOADS) return;
      activeLoads += 1;
      // Deferred, so that everything requested in this turn of the event loop is in the batch.
      setImmediate(loadPending);
    });
}

/** Announces an item of a group before it is ready, so that the group's next commit can wait for it. */
export interface BatchSlot<Item, Result> {
  submit(item: Item): Promise<Result>;
  /** Must be called in any case: until then, the group expects an item. */
  release(): void;
}

interface Group<Item, Result> {
  /** Slots that are not released, whether or not they have submitted. */
  openSlots: number;
  submitted: Pending<Item, Result>[];
  isCommitting: boolean;
  waitTimer?: NodeJS.Timeout | undefined;
}

/**
 * For commits that cost hardly more for many items than for one, and that cannot run concurrently within a group. A commit
 * waits until half of the group's open slots have submitted, at most MAX_COMMIT_WAIT_MS; a single slot never waits.
 * `commitBatch` returns one result for each item, in order.
 */
export function groupCommit<Item, Result>(
  commitBatch: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>,
): (groupKey: string) => BatchSlot<Item, Result> {
  const groups = new Map<string, Group<Item, Result>>();

  function commitWhenReady(group: Group<Item, Result>): void {
    if (group.isCommitting || group.submitted.length === 0) return;
    if (2 * group.submitted.length >= group.openSlots) startCommit(group);
    else group.waitTimer ??= setTimeout(() => startCommit(group), MAX_COMMIT_WAIT_MS);
  }

  function startCommit(group: Group<Item, Result>): void {
    clearTimeout(group.waitTimer);
    group.waitTimer = undefined;
    group.isCommitting = true;
    deferCommit(group);
  }

  /** While each turn of the event loop brings more of what is expected, so that all of it is in the commit. */
  function deferCommit(group: Group<Item, Result>): void {
    const { length } = group.submitted;
    setImmediate(() => {
      const isGrowing = group.submitted.length > length && group.submitted.length < group.openSlots;
      if (isGrowing && length < MAX_BATCH_SIZE) deferCommit(group);
      else void commit(group);
    });
  }

  async function commit(group: Group<Item, Result>): Promise<void> {
    const batch = group.submitted.slice(0, MAX_BATCH_SIZE);
    group.submitted = group.submitted.slice(MAX_BATCH_SIZE);
    try {
      const results = await commitBatch(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled') resolve(result.value);
        else reject(result ? result.reason : new Error('the batch returned no result for this item'));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    group.isCommitting = false;
    commitWhenReady(group);
  }

  return (groupKey) => {
    const group = groups.get(groupKey) ?? { openSlots: 0, submitted: [], isCommitting: false };
    groups.set(groupKey, group);
    group.openSlots += 1;
    let isReleased = false;
    return {
      submit: (item) =>
        new Promise((resolve, reject) => {
          group.submitted.push({ item, resolve, reject });
          commitWhenReady(group);
        }),
      release() {
        if (isReleased) return;
        isReleased = true;
        group.openSlots -= 1;
        if (group.openSlots === 0) groups.delete(groupKey);
        else commitWhenReady(group);
      },
    };
  };
}
