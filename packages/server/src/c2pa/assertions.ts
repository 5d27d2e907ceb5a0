// The assertions of a manifest: fingerprint, history, license and permitted uses of a file.

import {
  type DigitalSourceType,
  digitalSourceTypeUri,
  licenses,
  SOFT_BINDING_ALGORITHM,
} from '@provenance-registry/core';
import type { ManifestClaims, PreviousVersion } from '../domain/ports/index.js';
import { childOf, childrenOf, type HashedUri, hashedUri, labelOf } from './jumbf.js';
import type { Assertion } from './manifestStore.js';

/** The vocabulary's weakest claim: the service did not create the file. */
const DEFAULT_SOURCE_TYPE = 'composite';

/** The hard binding: the hash of the whole file, or of all but the range that holds the manifest itself. */
export function dataHashAssertion(hash: Uint8Array, excluded?: { start: number; length: number }): Assertion {
  return createdAssertion('c2pa.hash.data', {
    ...(excluded && { exclusions: [excluded] }),
    name: 'jumbf manifest',
    alg: 'sha256',
    hash,
    pad: new Uint8Array(0),
  });
}

/** Only one: a lookup must match every soft binding of a manifest. */
export function softBindingAssertion(fingerprint: Uint8Array): Assertion {
  return createdAssertion('c2pa.soft-binding', {
    alg: SOFT_BINDING_ALGORITHM,
    blocks: [{ scope: {}, value: fingerprint }],
    pad: new Uint8Array(0),
  });
}

export function createdActionAssertion(sourceType: DigitalSourceType = DEFAULT_SOURCE_TYPE): Assertion {
  const digitalSourceType = digitalSourceTypeUri(sourceType);
  return createdAssertion('c2pa.actions.v2', { actions: [{ action: 'c2pa.created', digitalSourceType }] });
}

/** The previous version as the parent ingredient, and the action that opened it. */
export function openedActionAssertions(previous: PreviousVersion): { assertions: Assertion[]; manifests: Buffer[] } {
  const manifests = childrenOf(Buffer.from(previous.sidecar));
  const parent = manifests.at(-1);
  if (!parent) throw new Error('the previous manifest store is empty');
  const path = `self#jumbf=/c2pa/${labelOf(parent)}`;
  const ingredient = createdAssertion('c2pa.ingredient.v3', {
    relationship: 'parentOf',
    // The service does not have the parent's bytes, so it makes no statement about its data hash.
    validationResults: { activeManifest: { success: [], informational: [], failure: [] } },
    activeManifest: hashedUri(path, parent),
    claimSignature: hashedUri(`${path}/c2pa.signature`, childOf(parent, 'c2pa.signature')),
  });
  const opened = createdAssertion('c2pa.actions.v2', (before: ReadonlyMap<string, HashedUri>) => ({
    actions: [{ action: 'c2pa.opened', parameters: { ingredients: [before.get('c2pa.ingredient.v3')] } }],
  }));
  return { assertions: [ingredient, opened], manifests };
}

/** Statements of the user about the file, which the service only passes on. */
export function gatheredAssertions({ allowAiTraining, author, mark, licenseKey }: ManifestClaims): Assertion[] {
  const license = licenseKey && licenseKey !== 'NONE_SPECIFIED' ? licenses[licenseKey] : undefined;
  const metadata = {
    ...(author && { 'dc:creator': [author.name] }),
    ...(mark && { 'dc:publisher': [mark.name], 'dc:identifier': `urn:uuid:${mark.id}` }),
    ...(license && { 'dc:rights': license.name }),
    ...(license?.url && { 'xmpRights:WebStatement': license.url }),
  };
  return [
    ...(allowAiTraining === null ? [] : [trainingAndMining(allowAiTraining)]),
    ...(Object.keys(metadata).length === 0
      ? []
      : [gatheredAssertion('cawg.metadata', 'json', { '@context': METADATA_CONTEXT, ...metadata })]),
  ];
}

const METADATA_CONTEXT = {
  dc: 'http://purl.org/dc/elements/1.1/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
};

function trainingAndMining(allowed: boolean): Assertion {
  const use = { use: allowed ? 'allowed' : 'notAllowed' };
  return gatheredAssertion('cawg.training-mining', 'cbor', {
    entries: {
      'cawg.data_mining': use,
      'cawg.ai_inference': use,
      'cawg.ai_training': use,
      'cawg.ai_generative_training': use,
    },
  });
}

function createdAssertion(label: string, content: Assertion['content']): Assertion {
  return { label, format: 'cbor', content, origin: 'created' };
}

function gatheredAssertion(label: string, format: Assertion['format'], content: unknown): Assertion {
  return { label, format, content, origin: 'gathered' };
}
