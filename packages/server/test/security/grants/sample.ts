// The columns of the table that the short tier of tests runs.

import type { LossId } from './table.js';

export const sample: readonly LossId[] = ['removed', 'transferred'];
