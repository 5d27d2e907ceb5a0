// Yields the event loop between callers that each hold it for some tenths of a millisecond, so that other requests are served.

/** Returns a function that lets so many of its callers go on in each turn of the event loop. */
export function yieldEvery(count: number): () => Promise<void> {
  let turn = Promise.resolve();
  let calls = 0;
  return () => {
    if (calls % count === 0) turn = turn.then(() => new Promise(setImmediate));
    calls += 1;
    return turn;
  };
}
