// A real EVM in this process, new for each caller and empty but for ten accounts with money. It mines each transaction at
// once, in a block of its own.

import {
  ContractDecoder,
  EdrContext,
  GENERIC_CHAIN_TYPE,
  genericChainProviderFactory,
  l1GenesisState,
  l1HardforkFromString,
  MineOrdering,
  OSAKA,
} from '@nomicfoundation/edr';
import {
  type Address,
  type Chain,
  type CustomTransport,
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  type Hex,
  hexToBytes,
  type JsonRpcAccount,
  type PublicClient,
  type TestClient,
  toHex,
  type WalletClient,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';

const mnemonic = 'test test test test test test test test test test test junk';
const keys = Array.from({ length: 10 }, (_, addressIndex) => mnemonicToAccount(mnemonic, { addressIndex }));

/** What the chains that enforce EIP-7825 allow for one transaction. */
export const TRANSACTION_GAS_LIMIT = 2n ** 24n;
const BLOCK_GAS_LIMIT = 60_000_000n;

// EDR wants one context in a process.
const context = new EdrContext();
const ready = context.registerProviderFactory(GENERIC_CHAIN_TYPE, genericChainProviderFactory());

export type Sender = WalletClient<CustomTransport, Chain, JsonRpcAccount>;

export interface Evm {
  provider: { request(request: Request): Promise<unknown> };
  accounts: Address[];
  reader: PublicClient;
  clock: TestClient;
  as(account: Address): Sender;
}

export async function startEvm(): Promise<Evm> {
  const provider = { request: await startProvider() };
  // Expected reverts are answers, not failures to try again.
  const transport = custom(provider, { retryCount: 0 });
  return {
    provider,
    accounts: keys.map(({ address }) => address),
    reader: createPublicClient({ chain: hardhat, transport }),
    clock: createTestClient({ chain: hardhat, mode: 'hardhat', transport }),
    as: (account) => createWalletClient({ account, chain: hardhat, transport }),
  };
}

interface Request {
  method: string;
  params?: unknown;
}

interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: Hex | { data?: Hex } };
}

async function startProvider() {
  await ready;
  const provider = await context.createProvider(
    GENERIC_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: false,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: true,
      chainId: BigInt(hardhat.id),
      networkId: BigInt(hardhat.id),
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: TRANSACTION_GAS_LIMIT,
      genesisState: [
        ...l1GenesisState(l1HardforkFromString(OSAKA)),
        ...keys.map(({ address }) => ({ address: hexToBytes(address), balance: 10n ** 24n, code: new Uint8Array() })),
      ],
      hardfork: OSAKA,
      initialBaseFeePerGas: 1_000_000_000n,
      initialParentBeaconBlockRoot: new Uint8Array(32),
      minGasPrice: 0n,
      mining: { autoMine: true, blockGasLimit: BLOCK_GAS_LIMIT, memPool: { order: MineOrdering.Fifo } },
      network: { genesisBlobGas: { gasUsed: 0n, excessGas: 0n }, genesisBlockGasLimit: BLOCK_GAS_LIMIT },
      observability: {},
      ownedAccounts: keys.map((key) => toHex(key.getHdKey().privateKey ?? new Uint8Array())),
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  );
  return async ({ method, params = [] }: Request): Promise<unknown> => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const { result, error }: Answer = typeof data === 'string' ? JSON.parse(data) : data;
    if (!error) return result;
    const reason = typeof error.data === 'string' ? error.data : error.data?.data;
    // Code 3 with the revert's data is what nodes answer and clients decode.
    throw Object.assign(new Error(error.message), reason ? { code: 3, data: reason } : { code: error.code });
  };
}
