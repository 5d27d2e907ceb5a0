// An in-memory Ethereum virtual machine: EDR, the one inside Hardhat, with a JSON-RPC interface. Its errors are translated
// to those of geth, which clients understand.

import type { EdrContext } from '@nomicfoundation/edr';
import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Address } from 'viem';
import { loadEdr } from './edr.js';

export interface Evm {
  /** Throws a JsonRpcError. */
  request(call: JsonRpcCall): Promise<unknown>;
}

export interface EvmOptions {
  readonly funded: readonly Address[];
  /** Seconds since 1970. The same options lead to the same genesis block. */
  readonly genesisTime: number;
  /** Mines each transaction at once; otherwise only `evm_mine` mines. */
  readonly automine: boolean;
}

/** The id of development chains of Hardhat and Foundry: clients know that its coins are worthless. */
export const CHAIN_ID = 31_337;
/** The amount that other development chains use. */
export const FUNDING_WEI = 10_000n * 10n ** 18n;
/** Ethereum's own limit. */
const BLOCK_GAS_LIMIT = 60_000_000n;
/** The maximum since Osaka (EIP-7825), of calls too; for calls without a limit. */
export const TRANSACTION_GAS_CAP = 16_777_216n;
/** 1 gwei, as on a quiet network. */
const INITIAL_BASE_FEE = 1_000_000_000n;
/** EDR's error code for unknown methods. */
const EDR_UNSUPPORTED_METHOD = -32_004;

const ErrorObject = Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) });
const Response = Type.Union([Type.Object({ error: ErrorObject }), Type.Object({ result: Type.Unknown() })]);
/** Other failures, such as running out of gas, have a string as their reason and no data. */
const Reverted = Type.Object({ reason: Type.Object({ Revert: Type.String() }) });

export async function createEvm({ funded, genesisTime, automine }: EvmOptions): Promise<Evm> {
  const context = await sharedContext();
  const { ContractDecoder, L1_CHAIN_TYPE, l1GenesisState, l1HardforkFromString, MineOrdering, OSAKA } = loadEdr();
  const provider = await context.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: false,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      // A reverted transaction is mined, and its receipt says so.
      bailOnTransactionFailure: false,
      chainId: BigInt(CHAIN_ID),
      networkId: BigInt(CHAIN_ID),
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: TRANSACTION_GAS_CAP,
      genesisState: [...l1GenesisState(l1HardforkFromString(OSAKA)), ...funded.map(genesisAccount)],
      hardfork: OSAKA,
      initialBaseFeePerGas: INITIAL_BASE_FEE,
      initialParentBeaconBlockRoot: new Uint8Array(32),
      minGasPrice: 0n,
      mining: { autoMine: automine, blockGasLimit: BLOCK_GAS_LIMIT, memPool: { order: MineOrdering.Fifo } },
      network: {
        genesisBlobGas: { gasUsed: 0n, excessGas: 0n },
        genesisBlockGasLimit: BLOCK_GAS_LIMIT,
        genesisBlockTime: BigInt(genesisTime),
      },
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  );
  return {
    async request({ method, params = [] }) {
      const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      const response = Value.Parse(Response, typeof data === 'string' ? JSON.parse(data) : data);
      if ('error' in response) throw toGethError(response.error);
      return response.result;
    },
  };
}

let context: Promise<EdrContext> | undefined;

/** EDR fails when a process creates a second context. */
function sharedContext(): Promise<EdrContext> {
  async function create() {
    const { EdrContext, L1_CHAIN_TYPE, l1ProviderFactory } = loadEdr();
    const created = new EdrContext();
    await created.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
    return created;
  }
  context ??= create();
  return context;
}

function genesisAccount(address: Address) {
  return { address: Buffer.from(address.slice(2), 'hex'), balance: FUNDING_WEI, code: new Uint8Array() };
}

/** geth's messages for errors of EDR: clients look for them. */
const gethMessages: readonly (readonly [RegExp, string])[] = [
  [/^Known transaction/, 'already known'],
  [/enough funds to send tx/, 'insufficient funds for gas * price + value'],
];

function toGethError({ code, message, data }: Static<typeof ErrorObject>): JsonRpcError {
  if (Value.Check(Reverted, data)) {
    return new JsonRpcError(errorCodes.reverted, `execution reverted: ${message}`, data.reason.Revert);
  }
  if (code === EDR_UNSUPPORTED_METHOD) return new JsonRpcError(errorCodes.methodNotFound, message);
  const gethMessage = gethMessages.find(([pattern]) => pattern.test(message))?.[1];
  return new JsonRpcError(code, gethMessage ? `${gethMessage}: ${message}` : message);
}
