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

  it('matches hashes of the first version, which have no parameters', async () => {
    const hash = 'scrypt$AAECAwQFBgcICQoLDA0ODw==$BUS/jY3RXIlNUfVFibrXS1m+ZtyDS56ksoZ2SgSjUlQ=';
    expect(await scryptPasswords().verify('correct horse battery', hash)).toBe(true);
    expect(await scryptPasswords().verify('correct horse batterz', hash)).toBe(false);
  });
});

describe('the parameters of a hash', () => {
  const cheap = { N: 1024, r: 8, p: 1 };
  const cheaper = { N: 512, r: 4, p: 2 };

  it('are stored with it, so that it matches whatever the current ones are', async () => {
    const hash = await scryptPasswords({ cost: cheaper }).hash('correct horse battery');
    expect(hash).toMatch(/^scrypt\$512\$4\$2\$/);
    expect(await scryptPasswords({ cost: cheap }).verify('correct horse battery', hash)).toBe(true);
    expect(await scryptPasswords({ cost: cheap }).verify('correct horse batterz', hash)).toBe(false);
  });

  it('tell whether it is outdated', async () => {
    const passwords = scryptPasswords({ cost: cheap });
    expect(passwords.isOutdated(await passwords.hash('correct horse battery'))).toBe(false);
    expect(passwords.isOutdated(await scryptPasswords({ cost: cheaper }).hash('correct horse battery'))).toBe(true);
    expect(passwords.isOutdated('scrypt$AAAA$AAAA')).toBe(true);
  });

  it.each([
    ['too much memory', 'scrypt$1073741824$8$1$'],
    ['too much memory for a block', 'scrypt$32768$999$1$'],
    ['too much time', 'scrypt$1024$8$999$'],
    ['no power of two', 'scrypt$1000$8$1$'],
    ['zero', 'scrypt$0$8$1$'],
    ['a negative number', 'scrypt$1024$-8$1$'],
    ['no number', 'scrypt$NaN$8$1$'],
    ['another algorithm', 'bcrypt$1024$8$1$'],
  ])('match nothing, after the usual work, when they ask for %s', async (_, prefix) => {
    const costs: unknown[] = [];
    const passwords = scryptPasswords({
      cost: cheap,
      derive: async (_password, _salt, cost) => {
        costs.push(cost);
        return Buffer.alloc(32);
      },
    });
    const key = Buffer.alloc(32).toString('base64');
    expect(await passwords.verify('correct horse battery', `${prefix}AAAA$${key}`)).toBe(false);
    expect(costs).toEqual([cheap]);
  });

  it('match nothing when the key is too short to compare', async () => {
    const passwords = scryptPasswords({ cost: cheap });
    expect(await passwords.verify('correct horse battery', 'scrypt$1024$8$1$AAAA$AAAA')).toBe(false);
  });
});
