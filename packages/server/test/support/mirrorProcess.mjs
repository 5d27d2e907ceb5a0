// A mirror as a process of its own, to be killed: `node mirrorProcess.mjs OPTIONS`, where OPTIONS is JSON. It kills itself
// before or after the named step of the database's, as a process does that is killed there.

import { Mirror } from '../../dist/chain/mirror/mirror.js';
import { openDatabase } from '../../dist/database/connection.js';
import { ChainMirrorQueries } from '../../dist/database/queries/lookups/chainMirror.js';

const { databaseUrl, url, registry, times, dieAt } = JSON.parse(process.argv[2] ?? '{}');
const store = new ChainMirrorQueries(openDatabase({ connectionString: databaseUrl }));
const die = () => process.kill(process.pid, 'SIGKILL');
const dying = {
  [dieAt.step]: async (...args) => {
    if (dieAt.moment === 'before') die();
    const result = await store[dieAt.step](...args);
    die();
    return result;
  },
};
new Mirror({
  store: Object.assign(Object.create(store), dying),
  url,
  chainId: 31_337,
  registry,
  isIndexedLate: true,
  log: () => {},
  times,
});
