// The text about claims. All of it is untrusted or comes from the service, and is marked as such.

import type { Claim } from '@provenance-registry/core';
import { bold, green, joinLines, type Piece, type Text, text, yellow } from '../text.js';

const kindNames: Readonly<Record<Claim['kind'], string>> = {
  statement: 'a statement',
  timestamp: 'a time-stamp',
  manifest: 'a C2PA manifest',
  'chain-entry': 'an entry in the public registry on chain',
};
const entryNames: Readonly<Record<Claim['entries'][number]['type'], string>> = {
  answer: "Answer of the Mark's admin",
  withdrawal: 'Withdrawn',
  superseded: 'Conceded',
  'operator-note': 'Note of the operator',
};

/** Undefined without claims. */
export function formatClaims(claims: readonly Claim[]): Text | undefined {
  if (claims.length === 0) return undefined;
  return joinLines(claims.flatMap((claim, index) => [...(index === 0 ? [] : ['']), formatClaim(claim)]));
}

export function formatClaim(claim: Claim): Text {
  const { id, fingerprint, status, claimant, mark, statement, createdAt, entries } = claim;
  const speaksFor = mark ? text`, for the Mark "${mark.name}" (${mark.id})` : '';
  return joinLines([
    text`${bold(id)}: ${status === 'open' ? yellow(status) : status}`,
    text`  Contests ${fingerprint}`,
    text`  By ${claimant.name}${speaksFor} at ${createdAt}`,
    ...quote(statement),
    ...formatEvidence(claim),
    ...entries.flatMap(({ type, author, text: words, mark: other, at }) => [
      text`  ${entryNames[type]}${author ? ` (${author.name})` : ''}${other ? ` to the Mark "${other.name}"` : ''} at ${at}`,
      ...quote(words ?? ''),
    ]),
  ]);
}

function formatEvidence({ kind, evidence: { state, time, source, reason, url } }: Claim): Piece[] {
  if (state === 'none') return [text`  Evidence: none`];
  const origin = `${time === null ? '' : ` of ${time}`}${source === null ? '' : `, from ${source}`}`;
  const result =
    state === 'checked'
      ? green('checked by the service: it is of this file, and older than the registration')
      : text`${yellow('not checked by the service')}${reason === null ? '' : `: ${reason}`}`;
  return [text`  Evidence: ${kindNames[kind]}${origin}; ${result}`, ...(url === null ? [] : [text`    ${url}`])];
}

/** Marked line by line, so that no text can pass for one of this program. */
function quote(words: string): Text[] {
  return words === '' ? [] : words.split(/\r?\n/).map((line) => text`    > ${line}`);
}
