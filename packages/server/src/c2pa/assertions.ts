// What a manifest states about a file: its fingerprint, its history, its licence and what may be done with it.

import { licenses, SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import type { ManifestClaims, PreviousVersion } from '../domain/ports/index.js';
import { childOf, childrenOf, type HashedUri, hashedUri, labelOf } from './jumbf.js';
import type { Assertion } from './manifestStore.js';

/** "Any of which may or may not be generative AI": the service did not make the file, so it claims as little as it can. */
const LEAST_CLAIM = 'http://cv.iptc.org/newscodes/digitalsourcetype/composite';
export const ALGORITHMIC_MEDIA = 'http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia';

/** The hard binding of a sidecar: the whole file, nothing excluded. */
export function dataHash(fingerprint: Uint8Array): Assertion {
  return created('c2pa.hash.data', {
    name: 'jumbf manifest',
    alg: 'sha256',
    hash: fingerprint,
    pad: new Uint8Array(0),
  });
}

/** One only: a lookup must match all of those in a manifest. */
export function softBinding(fingerprint: Uint8Array): Assertion {
  return created('c2pa.soft-binding', {
    alg: SOFT_BINDING_ALGORITHM,
    blocks: [{ scope: {}, value: fingerprint }],
    pad: new Uint8Array(0),
  });
}

export function createdAction(digitalSourceType = LEAST_CLAIM): Assertion {
  return created('c2pa.actions.v2', { actions: [{ action: 'c2pa.created', digitalSourceType }] });
}

/** The previous version as the parent, and the action that opened it. */
export function openedAction(previous: PreviousVersion): { parts: Assertion[]; manifests: Buffer[] } {
  const manifests = childrenOf(Buffer.from(previous.sidecar));
  const parent = manifests.at(-1);
  if (!parent) throw new Error('the previous manifest store is empty');
  const path = `self#jumbf=/c2pa/${labelOf(parent)}`;
  const ingredient = created('c2pa.ingredient.v3', {
    ...(previous.title !== undefined && { 'dc:title': previous.title }),
    relationship: 'parentOf',
    // The parent's bytes were not seen: nothing is said about its data hash.
    validationResults: { activeManifest: { success: [], informational: [], failure: [] } },
    activeManifest: hashedUri(path, parent),
    claimSignature: hashedUri(`${path}/c2pa.signature`, childOf(parent, 'c2pa.signature')),
  });
  const opened = created('c2pa.actions.v2', (before: ReadonlyMap<string, HashedUri>) => ({
    actions: [{ action: 'c2pa.opened', parameters: { ingredients: [before.get('c2pa.ingredient.v3')] } }],
  }));
  return { parts: [ingredient, opened], manifests };
}

/** What people have stated about the file: gathered, since the service only passes it on. */
export function statements({ allowAiTraining, author, mark, licenseKey }: ManifestClaims): Assertion[] {
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
      : [gathered('cawg.metadata', 'json', { '@context': METADATA_CONTEXT, ...metadata })]),
  ];
}

const METADATA_CONTEXT = {
  dc: 'http://purl.org/dc/elements/1.1/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
};

function trainingAndMining(allowed: boolean): Assertion {
  const use = { use: allowed ? 'allowed' : 'notAllowed' };
  return gathered('cawg.training-mining', 'cbor', {
    entries: {
      'cawg.data_mining': use,
      'cawg.ai_inference': use,
      'cawg.ai_training': use,
      'cawg.ai_generative_training': use,
    },
  });
}

function created(label: string, content: Assertion['content']): Assertion {
  return { label, format: 'cbor', content, origin: 'created' };
}

function gathered(label: string, format: Assertion['format'], content: unknown): Assertion {
  return { label, format, content, origin: 'gathered' };
}
