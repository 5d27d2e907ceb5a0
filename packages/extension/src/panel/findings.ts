// What was found about a file: for each kind of check a state of its own that says no more than was checked.

import type { FindingState } from '@provenance-registry/web/ui/lookup/FindingRow.js';
import type { ReactNode } from 'preact/compat';
import type * as texts from '../texts/en.js';

export interface Finding {
  readonly state: FindingState;
  readonly content?: ReactNode;
}

export type FindingName = keyof typeof texts.rowTitles;
export type Findings = Readonly<Record<FindingName, Finding>>;

/** Shows what one of the checks has found. */
export type ShowFinding = (state: FindingState, content?: ReactNode) => void;
