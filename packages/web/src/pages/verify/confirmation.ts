// Whether the registration itself is confirmed, whatever claims there are to it.

import type { Verification } from '@provenance-registry/client';

type Confirmation = Exclude<Verification['verdict'], 'contested' | 'superseded'>;

/** A verdict about claims stands in place of `verified` or `consistent`. */
export function confirmationOf({ verdict, independentSources }: Verification): Confirmation {
  if (verdict !== 'contested' && verdict !== 'superseded') return verdict;
  return independentSources.length > 0 ? 'verified' : 'consistent';
}

export function isConfirmed(verification: Verification | undefined): boolean {
  return verification !== undefined && confirmationOf(verification) === 'verified';
}
