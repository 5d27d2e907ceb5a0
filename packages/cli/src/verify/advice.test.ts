import type { Reason, Verification } from '@provenance-registry/client';
import { expect, it } from 'vitest';
import type { Trust } from '../trust/loadTrust.js';
import { adviseOn } from './advice.js';

const [fingerprint, original] = ['2', '3'].map((digit) => `0x${digit.repeat(64)}` as const);
const blockHash = `0x${'b'.repeat(64)}`;
const check = { state: 'agrees', proves: 'Something.', details: {} } as const;
const verification: Verification = {
  fingerprint: fingerprint ?? '0x',
  verdict: 'consistent',
  independentSources: [],
  facts: [],
  times: [],
  problems: [],
  notices: [],
  checks: { registry: check, chain: { ...check, details: { blockHash } }, manifest: check, log: check },
  ...(original && { signedCopyOf: original }),
};

const url = { value: 'https://registry.example', from: '--url' };
const settings = {
  profile: { value: 'work', from: '--profile' },
  url,
  contract: undefined,
  chainId: undefined,
  trustAnchors: undefined,
  logKey: undefined,
  logContract: undefined,
};
const nothing: Trust = { chain: {}, trustAnchorsPem: undefined, timestampAnchorsPem: undefined, logKeys: undefined };
const pinned: Trust = { ...nothing, chain: { address: '0x1' }, trustAnchorsPem: 'roots' };
const pin =
  'Compare and pin the registry, then run this again: provenance config trust add https://registry.example --profile work';
const verifyWith = (source: string) =>
  `provenance verify ${source} --profile work --url https://registry.example photo.jpg`;
const askAnother = 'No command can help: ask your source for the file, through another channel';
const readClaims = `Read the claims and decide for yourself: provenance claim list ${fingerprint}`;

/** For each reason, the line for a user who has named nothing, and for one who has pinned the registry. */
const lines: Readonly<Record<Reason['code'], readonly [unpinned: string, pinned?: string]>> = {
  NOTHING_NAMED: [pin, `Name a node of the chain: ${verifyWith('--rpc-url "$RPC_URL"')}`],
  REGISTRANT_NOT_PROVEN: [pin, `Name a node of the chain: ${verifyWith('--rpc-url "$RPC_URL"')}`],
  REQUIRED: [pin, `Name a node of the chain: ${verifyWith('--rpc-url "$RPC_URL"')}`],
  CONTRACT_NOT_NAMED: [pin],
  BLOCK_NOT_COMPARED: [
    `Once you have found this block in an explorer: ${verifyWith(`--block-hash ${blockHash} --contract "$CONTRACT"`)}`,
    `Once you have found this block in an explorer: ${verifyWith(`--block-hash ${blockHash}`)}`,
  ],
  REGISTRATION_FAILED: ['Ask the owner to register it again'],
  NO_OWN_ENTRY: [`Verify the original instead of a copy: provenance verify ${original}`],
  SOURCE_UNUSABLE: ['Run it again when the source that you named responds, or name another one'],
  SOURCES_UNAVAILABLE: ['Wait, and run it again'],
  REGISTRY_NOT_CHECKED: [
    'Run it again; if the registry goes on not saying who it is, ask its operator through another channel',
  ],
  REGISTRY_CHANGED: [
    'Ask the operator through another channel; if the change is right, compare and pin it: provenance config trust add https://registry.example --profile work',
  ],
  MARK_HIDDEN: ['Log in as a member of its Mark: provenance login --url https://registry.example'],
  CONTRADICTED: [askAnother],
  UNEXPECTED_MARK: [askAnother],
  UNKNOWN: [
    'If it was registered just now, wait and run it again; for a changed copy, search for look-alikes: provenance verify --similar photo.jpg',
  ],
  CONTESTED: [readClaims],
  SUPERSEDED: [readClaims],
};

it.each(Object.entries(lines))(
  'a result that is not verified because of %s says in one line what to do',
  (code, expected) => {
    const [unpinned, afterPin = unpinned] = expected;
    const reason = { code: code as Reason['code'], text: 'A reason.' };
    const advise = (trust: Trust) =>
      adviseOn('photo.jpg', { ...verification, reason }, { settings, trust, options: {} });
    expect([advise(nothing), advise(pinned)]).toEqual([unpinned, afterPin]);
  },
);

it('a verified result has no advice', () => {
  const verified = { ...verification, verdict: 'verified' } as const;
  expect(adviseOn('photo.jpg', verified, { settings, trust: nothing, options: {} })).toBeUndefined();
});

it('the command to run next asks for no less than the one before', () => {
  const reason = { code: 'REQUIRED', text: 'A reason.' } as const;
  const options = { manifest: 'a photo.c2pa', require: 'chain', expectMark: "Ada's Photos" };
  expect(adviseOn('photo.jpg', { ...verification, reason }, { settings, trust: pinned, options })).toBe(
    `Name a node of the chain: ${verifyWith(
      `--rpc-url "$RPC_URL" --manifest 'a photo.c2pa' --require chain --expect-mark 'Ada'\\''s Photos'`,
    )}`,
  );
});
