import { describe, expect, it } from 'vitest';
import { createSigner } from '../../test/support/signers.js';
import { LogFormatError } from '../errors.js';
import { formatVerifierKey } from './keys.js';
import { formatPolicy, isQuorum, parsePolicy } from './policy.js';

const keyOf = (name: string, kind: 'log' | 'cosignature', seed = name) =>
  formatVerifierKey(createSigner(name, kind, seed).key);
const logKey = keyOf('registry.example/log', 'log');
const [x1, x2, x3, y1, y2] = ['x1', 'x2', 'x3', 'y1', 'y2'].map((name) => keyOf(name, 'cosignature'));
const example = `# Two of one organization, and one of another
log ${logKey}

\twitness X1  ${x1} https://x.example/witness
 witness X2 ${x2}
witness X3 ${x3}
group X-witnesses 2 X1 X2 X3
witness Y1 ${y1}
witness Y2 ${y2}
group Y-witnesses any Y1 Y2
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

describe('a policy', () => {
  it.each([
    [['x1', 'x2', 'y1'], true],
    [['x1', 'x3', 'y2'], true],
    [['x1', 'x2', 'x3'], false],
    [['x1', 'y1', 'y2'], false],
    [[], false],
  ])('with groups in groups is met by %j: %s', (names, isMet) => {
    const { witnesses, quorum } = parsePolicy(example);
    const signed = witnesses.map(({ key }) => key).filter(({ name }) => names.includes(name));
    expect(signed.length).toBe(names.length);
    expect(isQuorum(quorum, new Set(signed))).toBe(isMet);
  });

  it('has the addresses of witnesses, where they are given', () => {
    const { logKeys, witnesses } = parsePolicy(example);
    expect(logKeys.map(formatVerifierKey)).toEqual([logKey]);
    expect(witnesses.map(({ url }) => url)).toEqual(['https://x.example/witness', ...Array(4)]);
  });

  it('is written for keys that all have to sign', () => {
    const { witnesses, quorum } = parsePolicy(formatPolicy([logKey], [x1 ?? '', x2 ?? '']));
    const keys = witnesses.map(({ key }) => key);
    expect(isQuorum(quorum, new Set(keys))).toBe(true);
    expect(isQuorum(quorum, new Set(keys.slice(1)))).toBe(false);
    expect(parsePolicy(formatPolicy([logKey]))).toMatchObject({ witnesses: [], quorum: undefined });
  });

  const sameKey = keyOf('again.example', 'cosignature', 'x1');
  const logAsWitness = keyOf('w.example/log', 'cosignature', 'registry.example/log');
  const otherLog = keyOf('other.example/log', 'log');
  it.each([
    ['an unknown keyword', 'logs x\nquorum none', 1],
    ['keys of two logs', `log ${logKey}\nlog ${otherLog}\nquorum none`, 2],
    ['the key of a witness as that of a log', `log ${x1}\nquorum none`, 1],
    ['the key of a log as that of a witness', `witness w ${otherLog}\nquorum none`, 1],
    ['a key under another name', `witness w ${x1?.replace('x1', 'x2')}\nquorum none`, 1],
    ['a witness twice', `witness a ${x1}\nwitness b ${x1}\nquorum none`, 2],
    ['a witness under two names, which would count twice', `witness a ${x1}\nwitness b ${sameKey}\nquorum none`, 2],
    ['the log as its own witness', `log ${logKey}\nwitness a ${logAsWitness}\nquorum none`, 2],
    ['two witnesses of one name', `witness a ${x1}\nwitness a ${x2}\nquorum none`, 2],
    ['a witness called none', `witness none ${x1}\nquorum none`, 1],
    ['more needed than there are', `witness a ${x1}\ngroup g 2 a\nquorum g`, 2],
    ['none needed of a group', `witness a ${x1}\ngroup g 0 a\nquorum g`, 2],
    ['half a witness', `witness a ${x1}\ngroup g 0.5 a\nquorum g`, 2],
    ['a member twice, which would count twice', `witness a ${x1}\ngroup g 2 a a\nquorum g`, 2],
    ['a group without members', 'group g all\nquorum g', 1],
    ['a member that comes later', `group g any a\nwitness a ${x1}\nquorum g`, 1],
    ['a group in itself', 'group g any g\nquorum g', 1],
    ['a quorum of a witness that is not there', `witness a ${x1}\nquorum b`, 2],
    ['two quorums', 'quorum none\nquorum none', 2],
    ['more on a line than belongs there', `log ${logKey} https://a.example more\nquorum none`, 1],
    ['other white space', `witness\u00a0a ${x1}\nquorum none`, 1],
  ])('is refused with %s', (_, text, line) => {
    expect(() => parsePolicy(text)).toThrow(new RegExp(`^Line ${line} of the policy: `));
    expect(() => parsePolicy(text)).toThrow(LogFormatError);
  });

  it('is refused without a quorum, or when it is too long', () => {
    expect(() => parsePolicy(`log ${logKey}\n`)).toThrow('no quorum');
    expect(() => parsePolicy(`${'#\n'.repeat(1_000)}quorum none\n`)).toThrow('too long');
  });
});
