import { RegistryError } from '@provenance-registry/core';
import { describe, expect, it } from 'vitest';
import { scryptPasswords } from './passwords.js';

describe('checking a password', () => {
  it('does the same work for a known hash, a wrong one and none at all', async () => {
    let derivations = 0;
    const passwords = scryptPasswords({
      derive: async () => {
        derivations += 1;
        return Buffer.alloc(32, 7);
      },
    });
    const hash = await passwords.hash('correct horse battery');
    const cost = async (work: () => Promise<boolean>) => {
      const before = derivations;
      await work();
      return derivations - before;
    };
    expect(await cost(() => passwords.verify('correct horse battery', hash))).toBe(1);
    expect(await cost(() => passwords.verify('wrong', hash))).toBe(1);
    expect(await cost(() => passwords.verify('anything', undefined))).toBe(1);
  });

  it('never matches when there is no hash', async () => {
    const passwords = scryptPasswords({ derive: async () => Buffer.alloc(32) });
    expect(await passwords.verify('', undefined)).toBe(false);
  });

  it('matches the password that was hashed and no other', async () => {
    const passwords = scryptPasswords();
    const hash = await passwords.hash('correct horse battery');
    expect(await passwords.verify('correct horse battery', hash)).toBe(true);
    expect(await passwords.verify('correct horse batterz', hash)).toBe(false);
  });

  it('works on two at a time, lets fifty wait, and refuses the rest', async () => {
    let running = 0;
    let most = 0;
    const pending: (() => void)[] = [];
    const passwords = scryptPasswords({
      derive: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => pending.push(resolve));
        running -= 1;
        return Buffer.alloc(32);
      },
    });
    const outcomes = Array.from({ length: 60 }, () => passwords.hash('correct horse battery').catch((error) => error));
    const refused = await Promise.all(outcomes.slice(52));
    expect(refused.every((error) => error instanceof RegistryError && error.code === 'UNAVAILABLE')).toBe(true);
    while (pending.length > 0) {
      pending.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const hashes = await Promise.all(outcomes.slice(0, 52));
    expect(hashes.every((hash) => typeof hash === 'string')).toBe(true);
    expect(most).toBe(2);
  });
});
