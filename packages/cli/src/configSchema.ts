// The schema of the configuration file.

import Type, { type Static } from 'typebox';
// Loads in a third of the time that `typebox/value` takes.
import { Check, Errors } from 'typebox/schema';
import { UsageError } from './errors.js';

/** What a registry said about itself when it was pinned or first contacted. */
const RegistryRecord = Type.Object(
  {
    name: Type.String(),
    chainId: Type.Integer(),
    contract: Type.String(),
    signerRootsPem: Type.String(),
    /** Roots of authorities that are another party than the registry. */
    timestampRootsPem: Type.String(),
    /** Roots of the registry's own authority: a part of its fingerprint, but no independent clock. */
    ownTimestampRootsPem: Type.String(),
    /** Verifier keys of its public log, for which its roots vouched. */
    logKeys: Type.Optional(Type.Array(Type.String())),
    /** The contract that anchors its log, which is stated with the keys. */
    logContract: Type.Optional(Type.String()),
    /** Verifier keys of witnesses that the user demands. */
    witnesses: Type.Optional(Type.Array(Type.String())),
    fingerprint: Type.String(),
    addedAt: Type.String(),
  },
  { additionalProperties: false },
);
export type RegistryRecord = Static<typeof RegistryRecord>;

/** A folder whose files the watcher registers. */
const WatchedFolder = Type.Object(
  {
    mark: Type.String(),
    authorshipStated: Type.Boolean(),
    ignore: Type.Array(Type.String()),
    /** Whether codes by which look-alikes are found are sent under a public Mark. */
    sendsCodes: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type WatchedFolder = Static<typeof WatchedFolder>;

const Profile = Type.Object(
  {
    url: Type.Optional(Type.String()),
    token: Type.Optional(Type.String()),
    tokenExpiresAt: Type.Optional(Type.String()),
    rpcUrl: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    chainId: Type.Optional(Type.String()),
    contract: Type.Optional(Type.String()),
    trustAnchors: Type.Optional(Type.String()),
    logKey: Type.Optional(Type.String()),
    logContract: Type.Optional(Type.String()),
    witness: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    mark: Type.Optional(Type.String()),
    /** Registries whose fingerprint the user compared with another source, by URL. */
    pins: Type.Optional(Type.Record(Type.String(), RegistryRecord)),
    /** Registries as they were at first contact, compared with nothing, by URL. */
    remembered: Type.Optional(Type.Record(Type.String(), RegistryRecord)),
    /** Watched folders by their absolute paths. */
    watchedFolders: Type.Optional(Type.Record(Type.String(), WatchedFolder)),
  },
  { additionalProperties: false },
);
export type Profile = Static<typeof Profile>;

const Config = Type.Object(
  { profile: Type.Optional(Type.String()), profiles: Type.Record(Type.String(), Profile) },
  { additionalProperties: false },
);
export type Config = Static<typeof Config>;

export function parseConfig(content: string, path: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new UsageError(`${path} is not valid JSON.`);
  }
  if (Check(Config, value)) return value;
  const [, [problem]] = Errors(Config, value);
  const field = problem?.instancePath.slice(1).replaceAll('/', '.') || 'the file';
  // Unknown properties are checked against the schema `false`.
  const message = problem?.keyword === 'boolean' ? 'is not a setting' : (problem?.message ?? 'is not valid');
  throw new UsageError(`${path}: ${field} ${message}.`);
}
