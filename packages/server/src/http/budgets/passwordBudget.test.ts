import { describe, expect, it } from 'vitest';
import { createPasswordBudget, passwordBudget } from './passwordBudget.js';

const wrong = () => Promise.reject(new Error('wrong password'));
const right = () => Promise.resolve('session');

function createSubject() {
  const spend = createPasswordBudget({ ...passwordBudget, maxRunning: 1 });
  const finishers: (() => void)[] = [];
  /** Requests that wait until `finish` is called, and then have this outcome. */
  const send = (client: string, email: string, outcome: () => Promise<string>) =>
    spend({ client, email, signal: new AbortController().signal }, async () => {
      await new Promise<void>((resolve) => finishers.push(resolve));
      return outcome();
    });
  return {
    send,
    async finish(count: number) {
      for (let done = 0; done < count; done += 1) {
        finishers.shift()?.();
        await new Promise(setImmediate);
      }
    },
    /** An attack that waits for its turns: of one account, or of a new one each time. */
    attack(client: string, count: number, email?: string) {
      for (let index = 0; index < count; index += 1) {
        send(client, email ?? `guess-${index}@example.com`, wrong).catch(() => undefined);
      }
    },
  };
}

describe('while 200 wrong log-ins wait, a right one', () => {
  it('at another address is next, also of the account under attack', async () => {
    const subject = createSubject();
    subject.attack('a', 200, 'ada@example.com');
    const session = subject.send('b', 'ada@example.com', right);
    await subject.finish(3);
    expect(await session).toBe('session');
  });

  it('of another account at the same address is next', async () => {
    const subject = createSubject();
    subject.attack('a', 200, 'ada@example.com');
    const session = subject.send('a', 'bea@example.com', right);
    await subject.finish(3);
    expect(await session).toBe('session');
  });

  it('at the same address as guesses of ever new accounts is next, if the account was used there before', async () => {
    const subject = createSubject();
    const first = subject.send('a', 'ada@example.com', right);
    await subject.finish(1);
    await first;
    subject.attack('a', 200);
    const session = subject.send('a', 'ada@example.com', right);
    await subject.finish(3);
    expect(await session).toBe('session');
  });

  it.each([
    ['guesses of ever new accounts', undefined],
    ['guesses of the same account', 'ada@example.com'],
  ])('at the same address as %s has its turn', async (_, email) => {
    const subject = createSubject();
    subject.attack('a', 200, email);
    const session = subject.send('a', 'ada@example.com', right);
    await subject.finish(201);
    expect(await session).toBe('session');
  });

  it('is accepted although other addresses have filled the queue', async () => {
    const subject = createSubject();
    for (const client of ['a', 'b', 'c']) subject.attack(client, 200);
    const session = subject.send('d', 'ada@example.com', right);
    await subject.finish(5);
    expect(await session).toBe('session');
  });
});

it('A wrong log-in gets no turn of its own at the next attempt', async () => {
  const subject = createSubject();
  const first = subject.send('a', 'ada@example.com', wrong);
  await Promise.all([expect(first).rejects.toThrow('wrong password'), subject.finish(1)]);
  subject.attack('a', 10);
  let isDone = false;
  const second = subject.send('a', 'ada@example.com', right).finally(() => {
    isDone = true;
  });
  await subject.finish(10);
  expect(isDone).toBe(false);
  await subject.finish(1);
  expect(await second).toBe('session');
});
