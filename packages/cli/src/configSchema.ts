// The schema of the configuration file.

import Type, { type Static } from 'typebox';
// Loads in a third of the time that `typebox/value` takes.
import { Check, Errors } from 'typebox/schema';
import { UsageError } from './errors.js';

/** A registry whose fingerprint the user compared with another source. */
const Pin = Type.Object(
  {
    name: Type.String(),
    chainId: Type.Integer(),
    contract: Type.String(),
    signerRootsPem: Type.String(),
    /** Roots of authorities that are another party than the registry. */
    timestampRootsPem: Type.String(),
    /** Roots of the registry's own authority: a part of its fingerprint, but no independent clock. */
    ownTimestampRootsPem: Type.String(),
    fingerprint: Type.String(),
    addedAt: Type.String(),
  },
  { additionalProperties: false },
);
export type Pin = Static<typeof Pin>;

/** A folder that the service registers all files of. */
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
    mark: Type.Optional(Type.String()),
    /** Pins by the URL of the registry. */
    pins: Type.Optional(Type.Record(Type.String(), Pin)),
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
