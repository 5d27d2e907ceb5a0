// Chains for services that are given one by RPC_URL.

import { connectToNode } from '@provenance-registry/chain-client';
import { type DevelopmentChain, startDevelopmentChain } from '@provenance-registry/dev-chain';
import { createWalletClient, http, parseEther } from 'viem';
import { hardhat } from 'viem/chains';
import { provideRegistry, registryOf } from '../../src/chain/registryContract.js';
import { freePort } from './ports.js';
import { admin, curatedEndpoint, registrar, wellKnown } from './registryChain.js';
import { type Service, temporaryFolder } from './service.js';

const registrarKey = `0x${'b2'.repeat(32)}`;

export interface DeployedChain extends DevelopmentChain {
  readonly folder: string;
  readonly port: number;
  /** What a service needs to use it. */
  readonly settings: {
    readonly RPC_URL: string;
    readonly REGISTRY_ADDRESS: string;
    readonly CHAIN_PRIVATE_KEY: string;
  };
}

/** A development chain with a registry on it; the registrar has that much money. */
export async function startDeployedChain(
  place: { folder?: string; port?: number } = {},
  registrarEther = '100',
): Promise<DeployedChain> {
  const folder = place.folder ?? (await temporaryFolder());
  const chain = await startDevelopmentChain({
    folder,
    // Some stop it and start it again where it was.
    port: place.port ?? (await freePort()),
    funded: [admin.address],
    confirmations: 1,
    onFault: (reason) => {
      throw reason;
    },
  });
  const node = connectToNode({ url: chain.url });
  await provideRegistry(node, { admin, registrar: registrar.address, endpoints: [curatedEndpoint] });
  if ((await node.getBalance({ address: registrar.address })) === 0n) {
    const wallet = createWalletClient({ account: wellKnown(9), chain: hardhat, transport: http(chain.url) });
    await wallet.sendTransaction({ to: registrar.address, value: parseEther(registrarEther) });
  }
  return {
    url: chain.url,
    close: chain.close,
    folder,
    port: Number(new URL(chain.url).port),
    settings: { RPC_URL: chain.url, REGISTRY_ADDRESS: registryOf(admin), CHAIN_PRIVATE_KEY: registrarKey },
  };
}

/** Resolves when the service's log has that text. */
export function untilLogged(service: Service, text: string): Promise<void> {
  const { stdout } = service.process;
  if (!stdout) throw new Error('the service has no standard output');
  return new Promise((resolve) => {
    const look = () => {
      if (!service.output().log.includes(text)) return;
      stdout.off('data', look);
      resolve();
    };
    stdout.on('data', look);
    look();
  });
}
