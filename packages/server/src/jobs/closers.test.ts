import { describe, expect, it } from 'vitest';
import { buildOrClose, CloserStack } from './closers.js';

describe('a stack of closers', () => {
  it('closes in reverse order, once', async () => {
    const closed: string[] = [];
    const closers = new CloserStack();
    for (const name of ['database', 'chain', 'server']) closers.push(async () => closed.push(name));
    await Promise.all([closers.close(), closers.close()]);
    expect(closed).toEqual(['server', 'chain', 'database']);
  });

  it('closes the rest when one closer fails, and rejects with that failure', async () => {
    const closed: string[] = [];
    const closers = new CloserStack();
    closers.push(() => closed.push('database'));
    closers.push(() => Promise.reject(new Error('chain failed')));
    closers.push(() => closed.push('server'));
    await expect(closers.close()).rejects.toThrow('chain failed');
    expect(closed).toEqual(['server', 'database']);
  });

  it('closes what was opened when building fails half-way, and keeps the reason', async () => {
    const closed: string[] = [];
    const closers = new CloserStack();
    const build = async () => {
      closers.push(() => closed.push('database'));
      closers.push(() => Promise.reject(new Error('closing failed')));
      throw new Error('the page was never built');
    };
    await expect(buildOrClose(closers, build)).rejects.toThrow('the page was never built');
    expect(closed).toEqual(['database']);
  });
});
