import { describe, expect, it } from 'vitest';
import { MemoryBudget } from './memoryBudget.js';

function createSubject(maxBytes: number) {
  const memory = new MemoryBudget(maxBytes);
  const givenUp: string[] = [];
  return {
    memory,
    givenUp,
    hold(name: string, client: string) {
      const holding = memory.hold(client, () => {
        givenUp.push(name);
        holding.release();
      });
      return holding;
    },
  };
}

describe('the memory of bodies', () => {
  it('is limited, and free again after a release', () => {
    const { memory, hold } = createSubject(10);
    const first = hold('1', 'a');
    expect([first.add(6), first.add(4), first.add(1)]).toEqual([true, true, false]);
    expect(memory.heldBytes).toBe(10);
    first.release();
    first.release();
    expect(memory.heldBytes).toBe(0);
    expect(hold('2', 'a').add(10)).toBe(true);
  });

  it('goes from the client that holds the most to one that holds less', () => {
    const { memory, givenUp, hold } = createSubject(10);
    hold('a1', 'a').add(3);
    hold('a2', 'a').add(5);
    hold('b1', 'b').add(2);
    expect(hold('c1', 'c').add(1)).toBe(true);
    expect(givenUp).toEqual(['a2']);
    expect(memory.heldBytes).toBe(6);
  });

  it('does not go from one client to another that would then hold more', () => {
    const { givenUp, hold } = createSubject(10);
    hold('a1', 'a').add(5);
    const own = hold('b1', 'b');
    expect([own.add(5), own.add(1)]).toEqual([true, false]);
    expect(givenUp).toEqual([]);
  });

  it('goes from a large body to a smaller one of the same client', () => {
    const { givenUp, hold } = createSubject(10);
    const large = hold('large', 'a');
    large.add(9);
    const small = hold('small', 'a');
    expect([small.add(1), small.add(1)]).toEqual([true, true]);
    expect(givenUp).toEqual(['large']);
    expect(large.add(9)).toBe(false);
  });

  it('is not taken from a complete file', () => {
    const { givenUp, hold } = createSubject(10);
    const complete = hold('a1', 'a');
    complete.add(9);
    complete.keep();
    expect(hold('b1', 'b').add(2)).toBe(false);
    expect(givenUp).toEqual([]);
  });
});
