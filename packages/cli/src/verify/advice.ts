// What to run next to get a verified result, by the reason why this one is not.

import type { Reason, Verification } from '@provenance-registry/client';
import { flagName } from '../options.js';
import type { Settings } from '../settings.js';
import type { Trust } from '../trust/loadTrust.js';

type NamedSettings = Pick<
  Settings,
  'profile' | 'url' | 'contract' | 'chainId' | 'trustAnchors' | 'logKey' | 'logContract'
>;

/** What the user has named or pinned so far. */
export interface Situation {
  readonly settings: NamedSettings;
  readonly trust: Trust;
  /** What the command to run next must not leave out. */
  readonly options: Readonly<Partial<Record<(typeof repeatedOptions)[number], string | undefined>>>;
}

const repeatedOptions = ['bundle', 'manifest', 'mirror', 'require', 'expectMark'] as const;

/** One line, which ends in the command if there is one. Undefined for a verified result. */
export function adviseOn(name: string, verification: Verification, situation: Situation): string | undefined {
  const { reason } = verification;
  if (!reason) return undefined;
  const { why, command } = advice[reason.code](verification, situation, quoteForShell(name));
  return command === undefined ? why : `${why}: provenance ${command}`;
}

interface Advice {
  readonly why: string;
  readonly command?: string;
}
type Adviser = (verification: Verification, situation: Situation, file: string) => Advice;

const advice: Readonly<Record<Reason['code'], Adviser>> = {
  NOTHING_NAMED: nameSource,
  CONTRACT_NOT_NAMED: pinRegistry,
  BLOCK_NOT_COMPARED: compareBlock,
  REGISTRANT_NOT_PROVEN: nameSource,
  REQUIRED: nameSource,
  REGISTRATION_FAILED: () => ({ why: 'Ask the owner to register it again' }),
  NO_OWN_ENTRY: ({ signedCopyOf }) => ({
    why: 'Verify the original instead of a copy',
    command: `verify ${signedCopyOf ?? 'ORIGINAL'}`,
  }),
  SOURCE_UNUSABLE: () => ({ why: 'Run it again when the source that you named responds, or name another one' }),
  SOURCES_UNAVAILABLE: (verification, situation, file) =>
    hasService(verification) ? { why: 'Wait, and run it again' } : nameSource(verification, situation, file),
  REGISTRY_NOT_CHECKED: () => ({
    why: 'Run it again; if the registry goes on not saying who it is, ask its operator through another channel',
  }),
  REGISTRY_CHANGED: (_, { settings }) => ({
    why: 'Ask the operator through another channel; if the change is right, compare and pin it',
    command: composePin(settings),
  }),
  MARK_HIDDEN: (_, { settings }) => ({
    why: 'Log in as a member of its Mark',
    command: `login --url ${settings.url.value}`,
  }),
  CONTRADICTED: () => ({ why: 'No command can help: ask your source for the file, through another channel' }),
  UNEXPECTED_MARK: () => ({ why: 'No command can help: ask your source for the file, through another channel' }),
  UNKNOWN: (_, _situation, file) => ({
    why: 'If it was registered just now, wait and run it again; for a changed copy, search for look-alikes',
    command: `verify --similar ${file}`,
  }),
  CONTESTED: readClaims,
  SUPERSEDED: readClaims,
};

/** The roots of a pin confirm manifests; with the contract of a pin, a node confirms the entry on chain. */
function nameSource(verification: Verification, situation: Situation, file: string): Advice {
  const { trust } = situation;
  if (trust.trustAnchorsPem === undefined && trust.chain.address === undefined)
    return pinRegistry(verification, situation, file);
  if (trust.chain.rpcUrl !== undefined) return pinRegistry(verification, situation, file);
  return { why: 'Name a node of the chain', command: composeVerify(situation, '--rpc-url "$RPC_URL"', file) };
}

function pinRegistry(_: Verification, { settings }: Situation, _file: string): Advice {
  return { why: 'Compare and pin the registry, then run this again', command: composePin(settings) };
}

function compareBlock({ checks }: Verification, situation: Situation, file: string): Advice {
  const { blockHash = 'HASH' } = checks.chain.details;
  return {
    why: 'Once you have found this block in an explorer',
    command: composeVerify(situation, `--block-hash ${blockHash}`, file),
  };
}

function readClaims({ fingerprint }: Verification): Advice {
  return { why: 'Read the claims and decide for yourself', command: `claim list ${fingerprint}` };
}

function hasService({ checks: { registry } }: Verification): boolean {
  return registry.code !== 'NOT_CHECKED';
}

/** With one more source, and those that the command line has already. */
function composeVerify({ settings, trust, options }: Situation, source: string, file: string): string {
  const { profile, url, contract, chainId, trustAnchors, logKey, logContract } = settings;
  const named = [profile, url, contract, chainId, trustAnchors, logKey, logContract].flatMap((setting) =>
    setting?.from.startsWith('--') ? [setting.from, quoteForShell(setting.value)] : [],
  );
  const unnamed = trust.chain.address === undefined ? ['--contract "$CONTRACT"'] : [];
  const repeated = repeatedOptions.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${flagName(name)}`, quoteForShell(value)];
  });
  return ['verify', source, ...unnamed, ...repeated, ...named, file].join(' ');
}

function composePin({ url, profile }: NamedSettings): string {
  const named = profile.from === '--profile' ? ` --profile ${quoteForShell(profile.value)}` : '';
  return `config trust add ${url.value}${named}`;
}

function quoteForShell(word: string): string {
  return /^[\w./@%+:,-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
