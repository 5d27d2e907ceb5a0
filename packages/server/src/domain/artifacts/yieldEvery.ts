// Turns of the event loop, which callers share: what each of them does next takes some tenths of a millisecond, and other
// requests are served in between.

/** Returns a function that lets so many of its callers go on in each turn. */
export function createTurns(perTurn: number): () => Promise<void> {
  let turn = Promise.resolve();
  let taken = 0;
  return () => {
    if (taken % perTurn === 0) turn = turn.then(() => new Promise(setImmediate));
    taken += 1;
    return turn;
  };
}
