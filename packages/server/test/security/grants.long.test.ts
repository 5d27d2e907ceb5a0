// Every cell of the table in docs/access.md but those of grants.test.ts: each grant works, and after a loss that ends it does not.

import { describeLosses, lossIds } from './grants/runLosses.js';
import { sample } from './grants/sample.js';

describeLosses(lossIds.filter((id) => !sample.includes(id)));
