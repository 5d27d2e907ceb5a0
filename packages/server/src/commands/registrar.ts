// `provenance-server registrar`: grants and revokes the role that writes the curated registry, and lists its holders.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { contentRegistryAbi, REGISTRAR_ROLE } from '@provenance-registry/contract';
import {
  type Address,
  BaseError,
  createPublicClient,
  createWalletClient,
  getAddress,
  http,
  isAddress,
  isHash,
  type PrivateKeyAccount,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { registryAddressOf } from '../chain/registryContract.js';
import { ConfigError } from '../config/config.js';
import { type Command, type CommandContext, parseArguments } from './command.js';

const help = `provenance-server registrar grant ADDRESS    lets an account write the curated registry
provenance-server registrar revoke ADDRESS   takes that role from an account; entries already made stay
provenance-server registrar list             shows the accounts that have the role

  --from-block NUMBER  for list: the block in which the contract was deployed (default: 0)

Settings: RPC_URL, REGISTRY_ADDRESS, and for grant and revoke ADMIN_PRIVATE_KEY or ADMIN_PRIVATE_KEY_FILE, the key of the
contract's admin. Without RPC_URL: the development chain of a running service, with CHAIN_PORT and DATA_DIR.

Exit codes: 0 done, or nothing to do; 1 failed; 2 wrong usage or settings.
`;

const EXIT_FAILED = 1;
/** Longer than any chain takes for a transaction with current fees. */
const MINING_TIMEOUT_MS = 600_000;
/** Public nodes refuse to search more at once. */
const BLOCKS_PER_SEARCH = 10_000n;

type Environment = CommandContext['environment'];
type Terminal = Pick<CommandContext, 'output' | 'notify'>;

interface Target {
  readonly url: string;
  readonly registry: Address;
  readonly admin: PrivateKeyAccount | undefined;
}

/** Standard output is for results only. */
export const registrarCommand: Command = {
  help,
  run: manageRegistrars,
  // A BaseError's full message has the node's URL, which may contain a key.
  describeFailure: (error) => (error instanceof BaseError ? error.shortMessage : String(error)),
  exitCodeOfFailure: EXIT_FAILED,
};

async function manageRegistrars(args: readonly string[], context: CommandContext): Promise<number> {
  const { action, address, fromBlock } = readArguments(args);
  if (action === undefined) {
    context.output.write(help);
    return 0;
  }
  const target = readTarget(context.environment);
  if (action === 'list') return await listRegistrars(target, fromBlock, context);
  return await changeRole(target, { action, account: address }, context);
}

interface RoleChange {
  readonly action: 'grant' | 'revoke';
  readonly account: Address;
}

async function changeRole(
  { url, registry, admin }: Target,
  { action, account }: RoleChange,
  { output, notify }: Terminal,
): Promise<number> {
  if (!admin) throw new ConfigError(['ADMIN_PRIVATE_KEY: required for grant and revoke']);
  const chain = createPublicClient({ transport: http(url) });
  const contract = { address: registry, abi: contentRegistryAbi } as const;
  const hasRole = () => chain.readContract({ ...contract, functionName: 'hasRole', args: [REGISTRAR_ROLE, account] });
  const wanted = action === 'grant';
  if ((await hasRole()) === wanted) {
    output.write(`${account} ${wanted ? 'already has' : 'does not have'} the role: nothing to do\n`);
    return 0;
  }
  const contractAdmin = await chain.readContract({ ...contract, functionName: 'defaultAdmin' });
  if (contractAdmin !== admin.address) {
    throw new ConfigError([
      `ADMIN_PRIVATE_KEY: belongs to ${admin.address}, but the contract's admin is ${contractAdmin}`,
    ]);
  }
  const wallet = createWalletClient({ account: admin, transport: http(url) });
  const functionName = wanted ? 'grantRole' : 'revokeRole';
  const hash = await wallet.writeContract({ ...contract, functionName, args: [REGISTRAR_ROLE, account], chain: null });
  output.write(`transaction ${hash}\n`);
  const { status, blockNumber } = await chain.waitForTransactionReceipt({ hash, timeout: MINING_TIMEOUT_MS });
  if (status !== 'success' || (await hasRole()) !== wanted) {
    notify(`The transaction was mined in block ${blockNumber}, but the role has not changed.`);
    return EXIT_FAILED;
  }
  output.write(`${account} ${wanted ? 'has' : 'no longer has'} the role since block ${blockNumber}\n`);
  return 0;
}

/** The contract has no list: everyone who was granted the role is asked for. */
async function listRegistrars({ url, registry }: Target, fromBlock: bigint, { output }: Terminal): Promise<number> {
  const chain = createPublicClient({ transport: http(url) });
  const accounts = new Set<Address>();
  const latest = await chain.getBlockNumber();
  for (let start = fromBlock; start <= latest; start += BLOCKS_PER_SEARCH) {
    let end = start + BLOCKS_PER_SEARCH - 1n;
    if (end > latest) end = latest;
    const events = await chain.getContractEvents({
      address: registry,
      abi: contentRegistryAbi,
      eventName: 'RoleGranted',
      args: { role: REGISTRAR_ROLE },
      fromBlock: start,
      toBlock: end,
    });
    for (const { args } of events) if (args.account) accounts.add(args.account);
  }
  for (const account of accounts) {
    const call = { address: registry, abi: contentRegistryAbi, functionName: 'hasRole' } as const;
    if (await chain.readContract({ ...call, args: [REGISTRAR_ROLE, account] })) output.write(`${account}\n`);
  }
  return 0;
}

type Arguments =
  | { readonly action: undefined; readonly address?: never; readonly fromBlock?: never }
  | { readonly action: 'list'; readonly address?: never; readonly fromBlock: bigint }
  | { readonly action: 'grant' | 'revoke'; readonly address: Address; readonly fromBlock?: never };

function readArguments(args: readonly string[]): Arguments {
  const options = { 'from-block': { type: 'string' } } as const;
  const { values, positionals } = parseArguments({ args: [...args], options, allowPositionals: true });
  const [action, address = '', ...more] = positionals;
  if (action === undefined) return { action };
  if (action === 'list' && address === '') {
    const from = values['from-block'] ?? '0';
    if (!/^\d{1,15}$/.test(from)) throw new ConfigError([`--from-block: "${from}" is not a block number`]);
    return { action, fromBlock: BigInt(from) };
  }
  if ((action !== 'grant' && action !== 'revoke') || more.length > 0) {
    throw new ConfigError(['usage: provenance-server registrar grant|revoke ADDRESS, or list; see --help']);
  }
  if (!isAddress(address)) throw new ConfigError([`"${address}" is not an address, or its checksum is wrong`]);
  return { action, address: getAddress(address) };
}

function readTarget(environment: Environment): Target {
  const url = readSetting(environment, 'RPC_URL');
  if (url === undefined) return developmentChain(environment);
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new ConfigError(['RPC_URL: not an http:// or https:// address']);
  }
  const registry = readSetting(environment, 'REGISTRY_ADDRESS') ?? '';
  if (!isAddress(registry)) throw new ConfigError(['REGISTRY_ADDRESS: not a contract address']);
  const key = readSetting(environment, 'ADMIN_PRIVATE_KEY');
  return { url, registry, admin: key === undefined ? undefined : accountOf(key) };
}

/** The service keeps the admin's key of its development chain. */
function developmentChain(environment: Environment): Target {
  const file = join(resolve(environment['DATA_DIR'] || './data'), 'chain-admin-key');
  const admin = accountOf(`0x${Buffer.from(readText('DATA_DIR', file), 'base64url').toString('hex')}`);
  const port = environment['CHAIN_PORT'] || '8545';
  return { url: `http://127.0.0.1:${port}`, registry: registryAddressOf(admin), admin };
}

function accountOf(key: string): PrivateKeyAccount {
  if (!isHash(key)) throw new ConfigError(['ADMIN_PRIVATE_KEY: not a private key: 0x and 64 hexadecimal digits']);
  return privateKeyToAccount(key);
}

/** The setting, or the content of the file that the setting with `_FILE` at its end names. */
function readSetting(environment: Environment, name: string): string | undefined {
  const file = environment[`${name}_FILE`]?.trim();
  const text = file ? readText(`${name}_FILE`, file) : environment[name]?.trim();
  return text || undefined;
}

function readText(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError([`${setting}: ${file} cannot be read`]);
  }
}
