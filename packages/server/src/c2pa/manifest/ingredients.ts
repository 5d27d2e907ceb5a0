// The ingredients of a manifest: the manifest that was inside the file, and the previous version, with all their manifests.

import { childOf, childrenOf, findStoreFault, labelOf } from '@provenance-registry/c2pa';
import { RegistryError } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { ManifestStatements } from '../../domain/ports/index.js';
import { hashedUri } from './jumbf.js';
import { ValidationResults } from './report.js';

/** Twenty generations of manifests with thumbnails. All of it is in every further sidecar and signed copy. */
const MAX_HISTORY_BYTES = 4 * 1024 * 1024;
/** The reader checks a few signatures of each, in about 10 ms. */
const MAX_HISTORY_MANIFESTS = 100;

const Report = Type.Object({ validation_results: ValidationResults });

interface Origin {
  readonly store: Uint8Array;
  readonly validationResults: ValidationResults;
}

/** Describes the ingredients; if there are both, the file's own manifest is the parent. */
export function describeIngredients({ parent, previous }: Pick<ManifestStatements, 'parent' | 'previous'>) {
  const origins: Origin[] = [
    ...(parent ? [{ store: parent.store, validationResults: parseResults(parent.validationResults) }] : []),
    ...(previous ? [{ store: previous.sidecar, validationResults: reportedResults(previous.report) }] : []),
  ];
  const manifests: Buffer[] = [];
  const ingredients = origins.map(({ store, validationResults }, index) => {
    const relationship = index === 0 ? 'parentOf' : 'inputTo';
    const own = childrenOf(Buffer.from(store));
    const active = own.at(-1);
    if (!active) throw new Error('the manifest store of an ingredient is empty');
    const added = findNew(own, manifests);
    if (isTooLarge([...manifests, ...added])) {
      return { relationship, description: 'Its manifests are left out: they are too large.' };
    }
    // No reader would find a manifest intact that builds on them. A faulty previous version, of this service itself, is refused
    // when the result is read back.
    if (store !== previous?.sidecar && findStoreFault(store)) {
      return { relationship, description: 'Its manifests are left out: no signature covers some parts of them.' };
    }
    manifests.push(...added);
    const path = `self#jumbf=/c2pa/${labelOf(active)}`;
    return {
      relationship,
      validationResults,
      activeManifest: hashedUri(path, active),
      claimSignature: hashedUri(`${path}/c2pa.signature`, childOf(active, 'c2pa.signature')),
    };
  });
  return { ingredients, manifests };
}

/** A manifest that is there already is not copied again. */
function findNew(own: readonly Buffer[], existing: readonly Buffer[]): Buffer[] {
  const byLabel = new Map(existing.map((manifest) => [labelOf(manifest), manifest]));
  return own.filter((manifest) => {
    const same = byLabel.get(labelOf(manifest));
    if (same && !same.equals(manifest)) {
      throw new RegistryError(
        'BAD_REQUEST',
        `The file and its previous version have different manifests under the label ${labelOf(manifest)}.`,
      );
    }
    return same === undefined;
  });
}

function isTooLarge(manifests: readonly Buffer[]): boolean {
  const bytes = manifests.reduce((sum, { length }) => sum + length, 0);
  return bytes > MAX_HISTORY_BYTES || manifests.length > MAX_HISTORY_MANIFESTS;
}

/** Results of a published report. The bytes of the previous version are not here, so nothing is stated about its data hash. */
function reportedResults(report: Uint8Array): ValidationResults {
  const { activeManifest, ...results } = Value.Parse(
    Report,
    Value.Clean(Report, JSON.parse(Buffer.from(report).toString())),
  ).validation_results;
  const success = activeManifest.success.filter(({ code }) => !code.startsWith('assertion.dataHash.'));
  return { ...results, activeManifest: { ...activeManifest, success } };
}

function parseResults(results: unknown): ValidationResults {
  return Value.Parse(ValidationResults, Value.Clean(ValidationResults, structuredClone(results)));
}
