// The search of `lookalikes` for one input after the other, and its results as text, JSON and CSV.

import { createHash } from 'node:crypto';
import { explanations, type LookalikeSearch } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { connect } from '../connect.js';
import type { Context } from '../context.js';
import type { ResultFormats } from '../inputs/printer.js';
import type { ReadableInput } from '../inputs/run.js';
import type { SearchedFile } from '../outputSchemas/lookalikes.js';
import { hashSource } from '../targets.js';
import { type Content, findLookalikes, readContent, type SearchOptions } from './finder.js';
import { formatResult } from './formatLookalikes.js';

export type SearchResult = LookalikeSearch & { readonly fingerprint: Fingerprint };

export async function runSearch(context: Context, options: SearchOptions) {
  const client = await connect(context);
  const sent = new Set<LookalikeSearch['sent']>();
  let hasFound = false;

  async function search(input: ReadableInput, onBytes: (bytes: number) => void): Promise<SearchResult> {
    const content = await readContent(context, input);
    const fingerprint = await hashContent(context, input.name, content, onBytes);
    const result = await findLookalikes(client, { name: input.name, content, fingerprint }, options);
    sent.add(result.sent);
    hasFound ||= result.lookalikes.length > 0;
    return { fingerprint, ...result };
  }

  return {
    search,
    /** What the service was sent for all files so far. */
    describeSent: () => {
      const kind = sent.has('file') ? 'file' : sent.has('perceptualHashes') ? 'perceptualHashes' : 'nothing';
      const { lookalikeHint, sentForSearch } = explanations;
      return hasFound ? `${lookalikeHint} ${sentForSearch[kind]}` : sentForSearch[kind];
    },
  };
}

async function hashContent(
  context: Context,
  name: string,
  content: Content,
  onBytes: (bytes: number) => void,
): Promise<Fingerprint> {
  if (!('bytes' in content)) return (await hashSource(context, { name, ...content }, onBytes)).fingerprint;
  return `0x${createHash('sha256').update(content.bytes).digest('hex')}`;
}

export function createLookalikeFormats(): ResultFormats<SearchResult> {
  return {
    toText: formatResult,
    toJson: (file, result): SearchedFile => ({ file, ...result }),
    csvColumns: [
      'fingerprint',
      'sent',
      'lookalikes',
      'closest',
      'grade',
      'distance',
      'mark',
      'registeredAt',
      'missing',
    ],
    toCells: ({ fingerprint, sent, lookalikes, missing }) => {
      const [closest] = lookalikes.filter(({ isSameFile }) => !isSameFile);
      return [
        fingerprint,
        sent,
        lookalikes.length,
        closest?.fingerprint,
        closest?.grade,
        closest?.distance,
        closest?.mark?.name,
        closest?.registeredAt,
        missing,
      ];
    },
  };
}
