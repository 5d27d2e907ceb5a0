// How the registry's functions, events and errors are named in calls, logs and reverts: by the beginning of the hash of their
// signatures. Written out, so that no client has to load the ABI and to hash signatures; a test compares them with the ABI.

import type { Hex } from './results.js';

export const functionSelectors = {
  c2paSpecVersion: '0x65c3132e',
  curatedCount: '0xb85d9f4f',
  curatedManifestIds: '0x36473542',
  endpoints: '0x3e94325d',
  hasRole: '0x91d14854',
  publicEntries: '0xf95fd37e',
  registerManifests: '0xa932115c',
  registerPublicManifest: '0xccd13689',
  resolveByBindingDetailed: '0xfa3cc388',
} as const satisfies Record<string, Hex>;

export const eventTopics = {
  EndpointsChanged: '0x893f7c73160a124ead904c050d1726057e1ffe5e7d5df93a4ff86e26c821d4e6',
  ManifestRegistered: '0x7d8b4fc4d7ecb0e03200f1e4cc361a7a363e06133a091fbf69bbd42c3bc40e42',
  PublicSoftBindingRegistered: '0xd57eeb19dc1f2413febd1127eab6f6b3b4b730767560a155905afc861114058f',
  RoleGranted: '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d',
  SoftBindingRegistered: '0xc16d384051cf86345df436fbc2355867b015b5b941025eabdc29b2c547848d9d',
} as const satisfies Record<string, Hex>;

/** Functions and the event of the contract that anchors the public log. */
export const logContractSelectors = {
  anchor: '0x9e1515d2',
  head: '0x8f7dcfa3',
  writer: '0x453a2abc',
  Anchored: '0x4ac5b9bdb01817da80ec1c33e76c5bef927ab969dd8e8ba4ce21da0d7996e56f',
} as const satisfies Record<string, Hex>;

/** The number of arguments of each error, all of one word, and its selector. */
export const errors: readonly (readonly [name: string, argumentCount: number, selector: Hex])[] = [
  ['AccessControlBadConfirmation', 0, '0x6697b232'],
  ['AccessControlEnforcedDefaultAdminDelay', 1, '0x19ca5ebb'],
  ['AccessControlEnforcedDefaultAdminRules', 0, '0x3fc3c27a'],
  ['AccessControlInvalidDefaultAdmin', 1, '0xc22c8022'],
  ['AccessControlUnauthorizedAccount', 2, '0xe2517d3f'],
  ['AlreadyRegistered', 1, '0x77caf672'],
  ['EnforcedPause', 0, '0xd93c0665'],
  ['ExpectedPause', 0, '0x8dfc202b'],
  ['InvalidBinding', 0, '0x0f30eb40'],
  ['InvalidEndpointCount', 1, '0xdf4b5190'],
  ['InvalidEndpointLength', 2, '0x9ffb68a4'],
  ['InvalidManifestIdLength', 1, '0x9bc59aae'],
  ['ManifestNotFound', 1, '0x7a28245c'],
  ['SafeCastOverflowedUintDowncast', 2, '0x6dfcc650'],
  ['StringsInsufficientHexLength', 2, '0xe22e27eb'],
  ['ZeroFingerprint', 0, '0xf500e3c6'],
  ['ZeroManifestId', 0, '0x38ed7848'],
  // Of the contract that anchors the public log.
  ['InvalidProof', 0, '0x09bde339'],
  ['NotWriter', 1, '0x5d94d23c'],
  ['SizeNotLarger', 1, '0x489b1307'],
  // Of every contract: `revert` with a text, and failures such as an overflow.
  ['Error', 2, '0x08c379a0'],
  ['Panic', 1, '0x4e487b71'],
];
