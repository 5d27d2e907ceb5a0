// A submitter as a process of its own, to be killed: `node submitterProcess.mjs OPTIONS`, where OPTIONS is JSON. With
// `dieAt`, it kills itself before or after the named step of the database's, as a process does that is killed there.

import { createJsonRpcClient } from '@provenance-registry/chain-client';
import { privateKeyToAccount } from 'viem/accounts';
import { Submitter } from '../../dist/chain/submitter/submitter.js';
import { openDatabase } from '../../dist/database/connection.js';
import { ChainOutboxQueries } from '../../dist/database/queries/artifacts/chainOutbox.js';

const { databaseUrl, rpcUrl, registry, key, confirmations, times, dieAt } = JSON.parse(process.argv[2] ?? '{}');
const queue = new ChainOutboxQueries(openDatabase({ connectionString: databaseUrl }));
const die = () => process.kill(process.pid, 'SIGKILL');
const dying = dieAt && {
  [dieAt.step]: async (...args) => {
    if (dieAt.moment === 'before') die();
    const answer = await queue[dieAt.step](...args);
    if (dieAt.moment === 'after') die();
    return answer;
  },
};
const account = privateKeyToAccount(key);
const sign = (...args) => {
  if (dieAt?.step === 'sign') die();
  return account.sign(...args);
};
new Submitter({
  queue: Object.assign(Object.create(queue), dying),
  node: createJsonRpcClient({ url: rpcUrl, timeoutMs: 500 }),
  chainId: 31_337,
  registry,
  account: { ...account, sign },
  confirmations,
  pseudonymSecret: 'secret of this test',
  retry: { attempts: 1_000, ms: 0 },
  log: () => {},
  times,
});
