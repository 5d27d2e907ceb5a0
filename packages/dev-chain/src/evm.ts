// An Ethereum virtual machine in this process: EDR, the one inside Hardhat, spoken to in JSON-RPC. It keeps
// everything in memory. Its errors are put the way geth puts them, because that is what clients understand.

import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
  OSAKA,
} from '@nomicfoundation/edr';
import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Address } from 'viem';

export interface Evm {
  /** Throws a JsonRpcError. */
  request(call: JsonRpcCall): Promise<unknown>;
}

export interface EvmOptions {
  readonly funded: readonly Address[];
  /** In seconds since 1970. Machines with the same options have the same genesis block. */
  readonly genesisTime: number;
  /** Whether a transaction that is sent is mined at once; otherwise `evm_mine` mines. */
  readonly automine: boolean;
}

/** What Hardhat and Foundry give their development chains: clients know it as a chain of no worth. */
export const CHAIN_ID = 31_337;
/** The amount that every development chain gives to its accounts. */
export const FUNDING_WEI = 10_000n * 10n ** 18n;
/** Ethereum's own limit. */
const BLOCK_GAS_LIMIT = 60_000_000n;
/** The most that a transaction may have since Osaka (EIP-7825); for calls that name no limit. */
const TRANSACTION_GAS_CAP = 16_777_216n;
/** 1 gwei: what a quiet network asks. */
const INITIAL_BASE_FEE = 1_000_000_000n;
/** What EDR answers when it does not know a method. */
const UNSUPPORTED = -32_004;

const Failure = Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) });
const Answer = Type.Union([Type.Object({ error: Failure }), Type.Object({ result: Type.Unknown() })]);
/** Other ends of an execution, such as running out of gas, have a word for a reason and no data. */
const Reverted = Type.Object({ reason: Type.Object({ Revert: Type.String() }) });

export async function createEvm({ funded, genesisTime, automine }: EvmOptions): Promise<Evm> {
  const context = await sharedContext();
  const provider = await context.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: false,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      // A transaction that reverts is mined, and its receipt says so.
      bailOnTransactionFailure: false,
      chainId: BigInt(CHAIN_ID),
      networkId: BigInt(CHAIN_ID),
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: TRANSACTION_GAS_CAP,
      genesisState: [...l1GenesisState(l1HardforkFromString(OSAKA)), ...funded.map(account)],
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
      const answer = Value.Parse(Answer, typeof data === 'string' ? JSON.parse(data) : data);
      if ('error' in answer) throw translated(answer.error);
      return answer.result;
    },
  };
}

let context: Promise<EdrContext> | undefined;

/** EDR complains when a process makes a second context. */
function sharedContext(): Promise<EdrContext> {
  async function make() {
    const made = new EdrContext();
    await made.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
    return made;
  }
  context ??= make();
  return context;
}

function account(address: Address) {
  return { address: Buffer.from(address.slice(2), 'hex'), balance: FUNDING_WEI, code: new Uint8Array() };
}

/** geth's words for what EDR says in others: clients look for them. */
const gethWords: readonly (readonly [RegExp, string])[] = [
  [/^Known transaction/, 'already known'],
  [/enough funds to send tx/, 'insufficient funds for gas * price + value'],
];

function translated({ code, message, data }: Static<typeof Failure>): JsonRpcError {
  if (Value.Check(Reverted, data)) {
    return new JsonRpcError(errorCodes.reverted, `execution reverted: ${message}`, data.reason.Revert);
  }
  if (code === UNSUPPORTED) return new JsonRpcError(errorCodes.methodNotFound, message);
  const words = gethWords.find(([pattern]) => pattern.test(message))?.[1];
  return new JsonRpcError(code, words ? `${words}: ${message}` : message);
}
