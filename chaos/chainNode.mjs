// Runs the development chain as a separate node: `node chainNode.mjs PORT FOLDER CONFIRMATIONS ADDRESS…`. The addresses
// are funded.

import { startDevelopmentChain } from '@provenance-registry/dev-chain';
import { isAddress } from 'viem';

const [port, folder = '', confirmations, ...funded] = process.argv.slice(2);
await startDevelopmentChain({
  folder,
  port: Number(port),
  funded: funded.filter((address) => isAddress(address)),
  confirmations: Number(confirmations),
  onFault: (reason) => process.stderr.write(`${reason instanceof Error ? reason.message : reason}\n`),
});
process.stderr.write('the chain is ready\n');
