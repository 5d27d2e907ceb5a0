// The assertions of a manifest: fingerprint, history, license and permitted uses of a file.

import {
  type AiPreferences,
  aiPreferencesOf,
  aiUses,
  type DigitalSourceType,
  digitalSourceTypeUri,
  licenses,
  SOFT_BINDING_ALGORITHM,
} from '@provenance-registry/core';
import type { ManifestClaims, ManifestStatements } from '../../domain/ports/index.js';
import { describeIngredients } from './ingredients.js';
import type { HashedUri } from './jumbf.js';
import type { Assertion } from './manifestStore.js';

/** The vocabulary's weakest claim: the service did not create the file. */
const DEFAULT_SOURCE_TYPE = 'composite';
/** The first ingredient is always the parent. */
const PARENT_LABEL = 'c2pa.ingredient.v3';

/** All assertions but the hard binding, with the manifests of the file's history. */
export function describeStatements(
  { claims, ...statements }: ManifestStatements,
  fingerprint: Uint8Array,
): { assertions: Assertion[]; ingredientManifests: Buffer[] } {
  const history = describeHistory(statements);
  return {
    assertions: [...history.assertions, softBindingAssertion(fingerprint), ...gatheredAssertions(claims)],
    ingredientManifests: history.manifests,
  };
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

/** What was done: the file was created, or opened from its parent. */
function describeHistory({ digitalSourceType, ...origins }: Omit<ManifestStatements, 'claims'>) {
  const { ingredients, manifests } = describeIngredients(origins);
  if (ingredients.length === 0) return { assertions: [createdActionAssertion(digitalSourceType)], manifests };
  const opened = createdAssertion('c2pa.actions.v2', (before: ReadonlyMap<string, HashedUri>) => ({
    actions: [
      {
        action: 'c2pa.opened',
        digitalSourceType: digitalSourceType && digitalSourceTypeUri(digitalSourceType),
        parameters: { ingredients: [before.get(PARENT_LABEL)] },
      },
    ],
  }));
  const labels = [PARENT_LABEL, `${PARENT_LABEL}__1`];
  const assertions = ingredients.map((content, index) => createdAssertion(labels[index] ?? '', content));
  return { assertions: [...assertions, opened], manifests };
}

/** Statements of the user about the file, which the service only passes on. */
function gatheredAssertions({ author, mark, licenseKey, ...preferences }: ManifestClaims): Assertion[] {
  const license = licenseKey && licenseKey !== 'NONE_SPECIFIED' ? licenses[licenseKey] : undefined;
  const metadata = {
    ...(author && { 'dc:creator': [author.name] }),
    ...(mark && { 'dc:publisher': [mark.name], 'dc:identifier': `urn:uuid:${mark.id}` }),
    ...(license && { 'dc:rights': license.name }),
    ...(license?.url && { 'xmpRights:WebStatement': license.url }),
  };
  return [
    ...trainingAndMining(aiPreferencesOf(preferences)),
    ...(Object.keys(metadata).length === 0
      ? []
      : [gatheredAssertion('cawg.metadata', 'json', { '@context': METADATA_CONTEXT, ...metadata })]),
  ];
}

const METADATA_CONTEXT = {
  dc: 'http://purl.org/dc/elements/1.1/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
};

/** The uses that the registrant says something about. */
function trainingAndMining(preferences: AiPreferences): Assertion[] {
  const entries = aiUses.flatMap((name) => {
    const { use, constraint } = preferences[name] ?? {};
    return use ? [[`cawg.${name}`, { use, ...(constraint !== undefined && { constraint_info: constraint }) }]] : [];
  });
  if (entries.length === 0) return [];
  return [gatheredAssertion('cawg.training-mining', 'cbor', { entries: Object.fromEntries(entries) })];
}

export function createdAssertion(label: string, content: Assertion['content']): Assertion {
  return { label, format: 'cbor', content, origin: 'created' };
}

function gatheredAssertion(label: string, format: Assertion['format'], content: unknown): Assertion {
  return { label, format, content, origin: 'gathered' };
}
