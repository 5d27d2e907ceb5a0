// The chain of a service without RPC_URL: on a loopback port, stored in a folder.

import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Address } from 'viem';
import type { AccessOptions } from './access.js';
import { openDurableChain } from './durableChain.js';
import { lockFolder } from './folderLock.js';
import { syncFolder } from './journal.js';
import { serveJsonRpc } from './jsonRpcServer.js';
import { publicMethods } from './methods.js';
import { createReplica } from './replica.js';

export interface DevelopmentChain {
  readonly url: string;
  close(): Promise<void>;
}

export interface DevelopmentChainOptions extends AccessOptions {
  /** Created when it does not exist. */
  readonly folder: string;
  /** 0: any free port. */
  readonly port: number;
  /** Accounts with funds besides the well-known ones. Accounts that a later start adds get their funds then. */
  readonly funded: readonly Address[];
  /** Empty blocks follow until a transaction has this many confirmations, its own block included. */
  readonly confirmations: number;
  readonly clock?: () => Date;
  /** A program that calls `serveReplica`. Untrusted calls are executed there; without it, in this process. */
  readonly replicaFile?: URL | undefined;
  /** Called for errors while the chain runs. */
  readonly onFault: (reason: unknown) => void;
}

/**
 * The first ten accounts of `test test test test test test test test test test test junk`: their keys are public.
 * Listed here because deriving them takes half a second.
 */
export const wellKnownAccounts: readonly Address[] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
  '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
  '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
];

export async function startDevelopmentChain(options: DevelopmentChainOptions): Promise<DevelopmentChain> {
  const { folder, port, confirmations, origin, token, replicaFile, onFault, clock = () => new Date() } = options;
  const path = join(folder, 'journal');
  await mkdir(folder, { recursive: true });
  await syncFolder(dirname(folder));
  const unlock = await lockFolder(folder);
  try {
    const chain = await openDurableChain({
      path,
      funded: [...wellKnownAccounts, ...options.funded],
      confirmations,
      clock,
      onFault,
    });
    const replica = replicaFile && createReplica(replicaFile, path);
    const methods = publicMethods(chain, replica && ((call) => replica.request(call, chain.journalLength)));
    try {
      const server = await serveJsonRpc({ handle: methods, port, origin, token, onFault });
      return {
        url: server.url,
        async close() {
          await server.close();
          replica?.close();
          await chain.close();
          await unlock();
        },
      };
    } catch (error) {
      await chain.close();
      throw error;
    }
  } catch (error) {
    await unlock();
    throw error;
  }
}
