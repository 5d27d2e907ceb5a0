// What the service publicly knows about a fingerprint.

import { findPrivately, type LookupQuestion, type RegistryClient } from '@provenance-registry/client';
import {
  type Artifact,
  type Fingerprint,
  type Rendition,
  SOFT_BINDING_ALGORITHM,
  softBindingValue,
} from '@provenance-registry/core';
import { readArtifact } from '../../publicReads.js';
import { useLiveArtifact } from '../../ui/useLiveArtifact.js';

interface LookupDisclosure {
  /** What the service was told. */
  readonly disclosed: LookupQuestion;
}

export interface RecordedResult extends LookupDisclosure {
  readonly kind: 'recorded';
  readonly artifact: Artifact;
  /** Set when the fingerprint is that of a signed copy of the Artifact's file. */
  readonly rendition: Rendition | undefined;
}

interface NotFoundResult extends LookupDisclosure {
  readonly kind: 'notFound';
  /** Whether the result covers the latest blocks of the chain; undefined when the service does not tell. */
  readonly isChainKnown: boolean | undefined;
}

/** The service has no record, and passes on an entry of the chain. */
interface ChainResult extends LookupDisclosure {
  readonly kind: 'onChain';
  readonly isCurated: boolean;
  readonly registeredBy: string | undefined;
}

export type LookupResult = NotFoundResult | RecordedResult | ChainResult;

/** Reads matches first, because an unknown fingerprint is no error there. */
export async function lookUp(
  client: RegistryClient,
  fingerprint: Fingerprint,
  kind: LookupQuestion['kind'],
  signal: AbortSignal,
): Promise<LookupResult> {
  if (kind === 'fingerprint') return lookUpDirectly(client, fingerprint, { kind, isFileNamed: true }, signal);
  const { entry, prefix, isChainKnown } = await findPrivately(client, fingerprint, { signal });
  if (!entry) return { kind: 'notFound', disclosed: { kind, isFileNamed: false, prefix }, isChainKnown };
  return lookUpDirectly(client, fingerprint, { kind, isFileNamed: true, prefix }, signal);
}

async function lookUpDirectly(
  client: RegistryClient,
  fingerprint: Fingerprint,
  disclosed: LookupQuestion,
  signal: AbortSignal,
): Promise<LookupResult> {
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value }, { signal });
  const [match] = matches;
  if (!match) return { kind: 'notFound', disclosed, isChainKnown: undefined };
  if (match.source !== undefined) {
    return { kind: 'onChain', disclosed, isCurated: match.source === 'curated', registeredBy: match.registeredBy };
  }
  return toRecorded(await readArtifact(client, { fingerprint }, { signal }), fingerprint, disclosed);
}

function toRecorded(artifact: Artifact, fingerprint: Fingerprint, disclosed: LookupQuestion): RecordedResult {
  const rendition = artifact.renditions.find((one) => one.fingerprint === fingerprint);
  return { kind: 'recorded', artifact, rendition, disclosed };
}

/** The result with the latest status of its Artifact; the same object while nothing has changed. */
export function useLiveLookup<T extends LookupResult | undefined>(result: T): T | LookupResult {
  const recorded: RecordedResult | undefined = result?.kind === 'recorded' ? result : undefined;
  const artifact = useLiveArtifact(recorded?.artifact);
  if (recorded === undefined || artifact === undefined || artifact === recorded.artifact) return result;
  return toRecorded(artifact, recorded.rendition?.fingerprint ?? artifact.fingerprint, recorded.disclosed);
}
