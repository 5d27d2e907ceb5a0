// Tells every lie of the lie table.

import { testLies } from './support/lieTable.js';

testLies((lies) => lies);
