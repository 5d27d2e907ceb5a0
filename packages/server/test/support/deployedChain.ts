// A development chain with a deployed registry, for services that get their chain from RPC_URL.

import { createJsonRpcClient, readBalance } from '@provenance-registry/chain-client';
import { type DevelopmentChain, startDevelopmentChain } from '@provenance-registry/dev-chain';
import { createWalletClient, http, parseEther } from 'viem';
import { hardhat } from 'viem/chains';
import { freePort } from '../../../../test/support/ports.js';
import { curatedEndpoint } from '../../../../test/support/registryChain.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { admin, REGISTRAR_KEY, registrar, testWallet } from '../../../../test/support/wallets.js';
import { deployRegistry, registryAddressOf } from '../../src/chain/registryContract.js';

export interface DeployedChain extends DevelopmentChain {
  readonly folder: string;
  readonly port: number;
  /** The environment of a service that uses this chain. */
  readonly settings: {
    readonly RPC_URL: string;
    readonly REGISTRY_ADDRESS: string;
    readonly CHAIN_PRIVATE_KEY: string;
  };
}

/** `registrarEther` funds the registrar's account. */
export async function startDeployedChain(
  place: { folder?: string; port?: number } = {},
  registrarEther = '100',
): Promise<DeployedChain> {
  const folder = place.folder ?? (await temporaryFolder());
  const chain = await startDevelopmentChain({
    folder,
    // Fixed, so that a test can stop the chain and start it again at the same address.
    port: place.port ?? (await freePort()),
    funded: [admin.address],
    confirmations: 1,
    onFault: (reason) => {
      throw reason;
    },
  });
  const node = createJsonRpcClient({ url: chain.url });
  await deployRegistry(node, { admin, registrar: registrar.address, endpoints: [curatedEndpoint] });
  if ((await readBalance(node, registrar.address)) === 0n) {
    const wallet = createWalletClient({ account: testWallet(9), chain: hardhat, transport: http(chain.url) });
    await wallet.sendTransaction({ to: registrar.address, value: parseEther(registrarEther) });
  }
  return {
    url: chain.url,
    close: chain.close,
    folder,
    port: Number(new URL(chain.url).port),
    settings: { RPC_URL: chain.url, REGISTRY_ADDRESS: registryAddressOf(admin), CHAIN_PRIVATE_KEY: REGISTRAR_KEY },
  };
}
