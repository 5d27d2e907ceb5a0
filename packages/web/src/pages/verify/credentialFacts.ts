// What the history in Content Credentials says about a file: how it was made, and which edits it names.

import { type EmbeddedManifest, explanations, type ManifestAction } from '@provenance-registry/client';

const AI_SOURCES = [
  'trainedAlgorithmicMedia',
  'compositeWithTrainedAlgorithmicMedia',
  'compositeSynthetic',
  'trainedAlgorithmicData',
];
/** They change nothing that the file shows. */
const NO_EDITS = ['c2pa.created', 'c2pa.opened', 'c2pa.published', 'c2pa.saved', 'c2pa.copied', 'c2pa.managed'];

/** What the registry signs when the registrant has not stated how the file was made. */
const UNSTATED_BY_REGISTRY = 'composite';

/** The last part of IPTC's URL. */
export function sourceTerm({ digitalSourceType }: ManifestAction): string | undefined {
  return digitalSourceType?.split('/').at(-1) || undefined;
}

export function isAiSource(term: string | undefined): boolean {
  return term !== undefined && AI_SOURCES.includes(term);
}

/** How the file itself was made, by the newest of its own manifest's actions that says so; AI before anything else. */
export function sourceOf({ history, trustedBy }: EmbeddedManifest): string | undefined {
  const terms = (history.at(-1)?.actions ?? []).map(sourceTerm).filter((term) => term !== undefined);
  const term = terms.find(isAiSource) ?? terms.at(-1);
  return trustedBy === 'service' && term === UNSTATED_BY_REGISTRY ? undefined : term;
}

/** Whether an earlier version or a part of it was made with AI. */
export function hasEarlierAi({ history }: EmbeddedManifest): boolean {
  return history.slice(0, -1).some(({ actions }) => actions.some((action) => isAiSource(sourceTerm(action))));
}

/** Each once, in the order of the history. Names that C2PA does not have are untrusted, and stay as they are. */
export function listEdits({ history }: EmbeddedManifest): string[] {
  const edits = history
    .flatMap(({ actions }) => actions)
    .filter(({ action }) => !NO_EDITS.includes(action))
    .map(({ action }) => explanations.actions.get(action) ?? action);
  return [...new Set(edits)];
}
