import { expect, test } from 'vitest';
import { createStore } from './store.js';

test('subscribers are notified of every change until they unsubscribe', () => {
  const store = createStore(0);
  const seen: number[] = [];
  const unsubscribe = store.subscribe(() => seen.push(store.get()));
  store.set(1);
  store.set(2);
  unsubscribe();
  store.set(3);
  expect([seen, store.get()]).toEqual([[1, 2], 3]);
});

test('setting the same value notifies no subscriber', () => {
  const value = { text: 'same' };
  const store = createStore(value);
  let notifications = 0;
  store.subscribe(() => {
    notifications += 1;
  });
  store.set(value);
  expect(notifications).toBe(0);
});
