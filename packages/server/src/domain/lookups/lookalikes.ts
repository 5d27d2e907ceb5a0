// Look-alikes: registered images and recordings that resemble a file without being the same bytes. Only what anyone may see
// is found. The index of images knows nothing of visibility, so the database decides it for the hits of each search.

import {
  type Artifact,
  type ArtifactMetadata,
  DEFAULT_MAX_DISTANCE,
  gradeImage,
  type Lookalike,
  type MarkLookalike,
  NEAR_IDENTICAL_DISTANCE,
  RegistryError,
} from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import { unexpectedValueError } from '../errors.js';
import { requireWriteAccess } from '../marks/marks.js';
import { type PageRequest, readPage } from '../pages.js';
import type { ImageHit, ImageQuery, Ports, VisibleArtifact } from '../ports/index.js';
import { lookUpFingerprints } from './bulkLookups.js';
import { findSoundLookalikes } from './soundLookalikes.js';

const DEFAULT_MAX_LOOKALIKES = 10;
/** Number of warnings that a registrant reads. */
const MAX_SIMILAR = 5;
/** A registration does not wait longer for its warning. */
const SIMILAR_MS = 1_000;

/** Most queries have fewer hits. Otherwise each further search asks for four times as many. */
const FIRST_HITS = 64;
const MOST_HITS = 16_384;
/**
 * Hits that may not be shown are passed over, so that registrations which are made private do not hide a look-alike: not
 * even hundreds of thousands of them. With more, the search fails rather than to answer that there is none.
 */
const MAX_HITS = 500_000;
/** A warning is not worth more. */
const MAX_SIMILAR_HITS = 20_000;

export interface HashQuery {
  readonly codes: readonly ImageQuery[];
  readonly chromaprint?: string | undefined;
}

export interface LookalikeQuery extends HashQuery {
  readonly maxDistance?: number | undefined;
  readonly limit?: number | undefined;
}

/** The closest first, then the oldest. Throws UNAVAILABLE while the index is being read. */
export async function findLookalikes(ports: Ports, query: LookalikeQuery): Promise<Lookalike[]> {
  const { limit = DEFAULT_MAX_LOOKALIKES, maxDistance = DEFAULT_MAX_DISTANCE } = query;
  if (query.chromaprint !== undefined) requireChromaprint(ports, query.chromaprint);
  const candidates = await findCandidates(ports, query, { limit, maxDistance, maxHits: MAX_HITS });
  return describe(ports, candidates.slice(0, limit));
}

/** The pattern of the field says little about it. */
export function requireChromaprint({ soundIndex }: Pick<Ports, 'soundIndex'>, chromaprint: string): void {
  if (!soundIndex.isReadable(chromaprint))
    throw unexpectedValueError('chromaprint', 'a Chromaprint as fpcalc prints it');
}

/** Files of other Marks that resemble Artifacts of this one, for those who may write under it. */
export async function listMarkLookalikes(
  ports: Ports,
  caller: Caller,
  markId: string,
  { maxDistance = DEFAULT_MAX_DISTANCE, ...page }: PageRequest & { maxDistance?: number },
): Promise<{ lookalikes: MarkLookalike[]; nextCursor: string | null }> {
  await requireWriteAccess(ports.store, caller, markId);
  const { rows, nextCursor } = await readPage(page, async (limit, after) => {
    const artifacts = await ports.store.imageHashes.listOfMark({ markId, limit, after });
    return artifacts?.map((artifact) => ({ ...artifact, id: artifact.artifactId }));
  });
  const search = { limit: DEFAULT_MAX_LOOKALIKES, maxDistance, maxHits: MAX_HITS, exceptMarkId: markId };
  const lookalikes: MarkLookalike[] = [];
  // One after the other: the queries of others come in between.
  for (const { fingerprint, filename, createdAt, images, chromaprint } of rows) {
    const query = { codes: images, chromaprint };
    const found = await describe(ports, await findCandidates(ports, query, search));
    const artifact = {
      fingerprint,
      ...(filename !== undefined && { filename }),
      registeredAt: createdAt.toISOString(),
    };
    lookalikes.push(...found.map((lookalike) => ({ ...lookalike, artifact })));
  }
  return { lookalikes, nextCursor };
}

/**
 * Near-identical Artifacts of other Marks, to warn the registrant of a new one; empty if they cannot be found right now.
 * The new Artifact must not be recorded yet: all that is found is older.
 */
export async function findSimilar(
  ports: Ports,
  markId: string,
  metadata: ArtifactMetadata,
): Promise<NonNullable<Artifact['similarTo']>> {
  const search = {
    limit: MAX_SIMILAR,
    maxDistance: NEAR_IDENTICAL_DISTANCE.pHash,
    maxHits: MAX_SIMILAR_HITS,
    exceptMarkId: markId,
    isNearIdentical: true,
  };
  async function find() {
    const candidates = await findCandidates(ports, queryOf(metadata), search);
    const found = await describe(ports, candidates.slice(0, MAX_SIMILAR));
    return found.map(({ fingerprint, mark, distance, grade, hashesBy, registeredAt }) => {
      return { fingerprint, mark: { id: mark.id, name: mark.name }, distance, grade, hashesBy, registeredAt };
    });
  }
  try {
    return await withinTime(SIMILAR_MS, find());
  } catch {
    // A search that fails, takes too long or has no index yet must not keep anyone from registering.
    return [];
  }
}

function queryOf({ pHash, dHash, chromaprint }: ArtifactMetadata): HashQuery {
  return { codes: pHash === undefined ? [] : [{ pHash, dHash }], chromaprint };
}

interface CandidateSearch {
  readonly limit: number;
  readonly maxDistance: number;
  /** Throws UNAVAILABLE after so many. */
  readonly maxHits: number;
  readonly exceptMarkId?: string;
  readonly isNearIdentical?: boolean;
}

/** A visible Artifact that resembles the query. */
type Candidate = VisibleArtifact & Pick<Lookalike, 'kind' | 'distance' | 'grade' | 'code' | 'part' | 'offsetSeconds'>;

async function findCandidates(
  ports: Ports,
  { codes, chromaprint }: HashQuery,
  search: CandidateSearch,
): Promise<Candidate[]> {
  const [images, sounds] = await Promise.all([
    codes.length > 0 ? findImages(ports, codes, search) : [],
    chromaprint === undefined ? [] : findSounds(ports, chromaprint, search),
  ]);
  return [...images, ...sounds].sort(
    (a, b) => a.distance - b.distance || a.createdAt.getTime() - b.createdAt.getTime(),
  );
}

async function findImages(
  { imageIndex, store }: Ports,
  queries: readonly ImageQuery[],
  { limit, maxDistance, maxHits, exceptMarkId, isNearIdentical = false }: CandidateSearch,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  let after: ImageHit | undefined;
  let hitCount = 0;
  for (let pageSize = FIRST_HITS; ; pageSize = Math.min(4 * pageSize, MOST_HITS)) {
    const hits = await imageIndex.search(queries, { maxDistance, maxHits: pageSize, after });
    const visible =
      hits.length > 0 ? await store.imageHashes.findVisible(hits.map(({ sequence }) => sequence)) : undefined;
    for (const hit of hits) {
      const image = visible?.get(hit.sequence);
      const grade = gradeImage(hit.distance, hit.dDistance);
      if (!image || image.markId === exceptMarkId || (isNearIdentical && grade !== 'near-identical')) continue;
      found.push({ ...image, kind: 'image', distance: hit.distance, grade, code: hit.query, part: hit.part });
    }
    if (found.length >= limit || hits.length < pageSize) return found.slice(0, limit);
    hitCount += hits.length;
    if (hitCount >= maxHits) throw new RegistryError('UNAVAILABLE', 'Too many registered images are this similar.');
    after = hits.at(-1);
  }
}

async function findSounds(
  ports: Ports,
  chromaprint: string,
  { limit, exceptMarkId, isNearIdentical = false }: CandidateSearch,
): Promise<Candidate[]> {
  const hits = await findSoundLookalikes(ports, chromaprint, { limit, exceptMarkId });
  return hits
    .filter(({ grade }) => !isNearIdentical || grade === 'near-identical')
    .map((hit) => ({ ...hit, kind: 'audio' }));
}

type DescribedLookalike = Lookalike & { mark: NonNullable<Lookalike['mark']> };

/** Adds what is registered about each. */
async function describe(ports: Ports, candidates: readonly Candidate[]): Promise<DescribedLookalike[]> {
  // Most files resemble none: their creation needs no lookup.
  if (candidates.length === 0) return [];
  const factsOf = await lookUpFingerprints(
    ports,
    candidates.map(({ fingerprint }) => fingerprint),
  );
  return candidates.flatMap(({ artifactId, markId: _markId, createdAt, ...candidate }) => {
    const {
      fingerprint: _,
      match: _match,
      manifestId: _id,
      registeredAt: _time,
      mark,
      ...facts
    } = factsOf(candidate.fingerprint);
    // The Mark has become private, or the registration failed, in between.
    if (!mark) return [];
    return [{ ...candidate, manifestId: artifactId, registeredAt: createdAt.toISOString(), mark, ...facts }];
  });
}

function withinTime<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('out of time')), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
