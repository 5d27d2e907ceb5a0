// `npm run deploy -w packages/contract -- …`: deploys the registry on any chain, and looks whether it is there.

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { contentRegistryAbi, contentRegistryBytecode } from '@provenance-registry/contract';
import {
  BaseError,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  formatEther,
  getAddress,
  http,
  isAddress,
  isAddressEqual,
  isHex,
  keccak256,
  stringToBytes,
  TransactionReceiptNotFoundError,
  zeroAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const help = `Deploys the registry contract.

  DEPLOYER_PRIVATE_KEY=0x… npm run deploy -w packages/contract -- \\
    --rpc-url https://… --admin 0x… --registrar 0x… --endpoint https://…/api/c2pa

  --rpc-url URL      JSON-RPC address of the chain (or RPC_URL in the environment, which no other user can see)
  --admin ADDRESS    who gives and takes roles; best a wallet of several signers. Starts out as pauser and as keeper of
                     the endpoints
  --registrar ADDRESS  the account of the service's CHAIN_PRIVATE_KEY, which writes the curated registry
  --endpoint URL     the service's BASE_URL and /api/c2pa; up to eight, each with its own --endpoint
  --admin-delay SECONDS  how long the administrator's handing over can be stopped (default: 172800, two days)
  --help             this text

The deployer's private key is read from DEPLOYER_PRIVATE_KEY. It pays, and has no role afterwards.
`;

const EXIT_FAILED = 1;
const EXIT_WRONG_USE = 2;

/** Two days: the time in which somebody notices that the administrator's key was stolen. */
const ADMIN_DELAY_SECONDS = 172_800;
/** The contract keeps 48 bits of it; more than a year is a mistake in the unit. */
const LONGEST_ADMIN_DELAY_SECONDS = 31_536_000;
/** The contract's own limits. */
const MAX_ENDPOINTS = 8;
const MAX_ENDPOINT_BYTES = 256;
/** Nodes round estimates down here and there. */
const GAS_MARGIN_PERCENT = 10n;
const LOOK_EVERY_MS = 1_000;
/** Longer than any chain takes for a transaction that pays what is asked. */
const PATIENCE_MS = 600_000;
const SPEC_VERSION = '2.2.0';
const REGISTRAR_ROLE = keccak256(stringToBytes('REGISTRAR_ROLE'));

class UsageError extends Error {}
class Failed extends Error {}

/** @typedef {`0x${string}`} Hex */

/** @returns {Promise<void>} */
async function main() {
  const options = readOptions();
  if (!options) {
    process.stdout.write(help);
    return;
  }
  const { rpcUrl, key, admin, registrar, endpoints, adminDelay } = options;
  const account = privateKeyToAccount(key);
  const transport = http(rpcUrl, { retryCount: 1 });
  const reader = createPublicClient({ transport, cacheTime: 0 });
  const deployment = {
    abi: contentRegistryAbi,
    bytecode: contentRegistryBytecode,
    args: /** @type {const} */ ([admin, adminDelay, registrar, endpoints]),
  };

  const chainId = await reader.getChainId().catch((error) => {
    throw new Failed(`The node cannot be reached: ${reasonOf(error)}`);
  });
  const estimate = await reader.estimateGas({ account: account.address, data: encodeDeployData(deployment) });
  const gas = estimate + (estimate * GAS_MARGIN_PERCENT) / 100n;
  await refuseEmptyPurse(reader, account.address, gas);
  if (isAddressEqual(admin, registrar)) {
    complain('Warning: administrator and registrar are one account. Who steals the key of the service has both.');
  }

  const wallet = createWalletClient({ account, transport });
  const hash = await wallet.deployContract({ ...deployment, gas, chain: null });
  // At once: whatever happens from here on, it can be looked up.
  process.stdout.write(`Chain        ${chainId}\nDeployer     ${account.address}\nTransaction  ${hash}\n`);
  const receipt = await untilMined(reader, hash);
  if (receipt.status !== 'success' || !receipt.contractAddress) throw new Failed('The transaction was reverted.');
  const address = getAddress(receipt.contractAddress);
  await verify(reader, address, options);
  process.stdout.write(`Gas          ${receipt.gasUsed}
Contract     ${address}

The contract is there, and its roles are as you asked. Settings of the service:

REGISTRY_ADDRESS=${address}
CHAIN_ID=${chainId}
# RPC_URL: the address that you gave here
# CHAIN_PRIVATE_KEY: the key of ${registrar}
`);
}

/** All that is wrong with them, at once. Undefined: help is wanted. */
function readOptions() {
  const values = parse();
  if (values.help) return undefined;
  /** @type {string[]} */
  const problems = [];
  /** @type {(isFine: boolean, problem: string) => void} */
  const check = (isFine, problem) => {
    if (!isFine) problems.push(problem);
  };
  const rpcUrl = values['rpc-url'] ?? process.env['RPC_URL'] ?? '';
  const key = process.env['DEPLOYER_PRIVATE_KEY'] ?? '';
  const { admin = '', registrar = '', endpoint: endpoints = [] } = values;
  const adminDelay = Number(values['admin-delay'] ?? ADMIN_DELAY_SECONDS);
  check(isWebAddress(rpcUrl), '--rpc-url: not an http:// or https:// address');
  check(isAccount(admin), '--admin: not the address of an account');
  check(isAccount(registrar), '--registrar: not the address of an account');
  check(endpoints.length > 0 && endpoints.length <= MAX_ENDPOINTS, `--endpoint: give 1 to ${MAX_ENDPOINTS} of them`);
  for (const endpoint of endpoints) {
    const isShort = Buffer.byteLength(endpoint) <= MAX_ENDPOINT_BYTES;
    check(isWebAddress(endpoint) && isShort, `--endpoint: "${endpoint}" is not a web address of up to 256 bytes`);
  }
  check(
    Number.isInteger(adminDelay) && adminDelay >= 0 && adminDelay <= LONGEST_ADMIN_DELAY_SECONDS,
    `--admin-delay: not a number of seconds from 0 to ${LONGEST_ADMIN_DELAY_SECONDS}`,
  );
  check(isPrivateKey(key), 'DEPLOYER_PRIVATE_KEY: not a private key: 0x and 64 hexadecimal digits');
  if (problems.length > 0 || !isAccount(admin) || !isAccount(registrar) || !isPrivateKey(key)) {
    throw new UsageError([...problems, 'Use --help for help.'].join('\n'));
  }
  return { rpcUrl, key, admin, registrar, endpoints, adminDelay };
}

function parse() {
  const options = /** @type {const} */ ({
    'rpc-url': { type: 'string' },
    admin: { type: 'string' },
    registrar: { type: 'string' },
    endpoint: { type: 'string', multiple: true },
    'admin-delay': { type: 'string' },
    help: { type: 'boolean' },
  });
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // The text that is wrong may be a key.
    const isUnknown = error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    throw new UsageError(`${isUnknown ? 'There is no such option' : 'Wrong arguments'}. Use --help for help.`);
  }
}

/** @param {string} text */
function isWebAddress(text) {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/**
 * Also that its capital letters, if there are any, are where they belong.
 * @param {string} text
 * @returns {text is Hex}
 */
function isAccount(text) {
  return isAddress(text) && text !== zeroAddress;
}

/**
 * @param {string} text
 * @returns {text is Hex}
 */
function isPrivateKey(text) {
  if (!isHex(text) || text.length !== 66) return false;
  try {
    privateKeyToAccount(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {import('viem').PublicClient} reader
 * @param {Hex} address
 * @param {bigint} gas
 */
async function refuseEmptyPurse(reader, address, gas) {
  const fees = await reader.estimateFeesPerGas().catch(() => undefined);
  const price = fees?.maxFeePerGas ?? (await reader.getGasPrice());
  const balance = await reader.getBalance({ address });
  const cost = gas * price;
  if (balance >= cost) return;
  throw new Failed(
    `The deployer ${address} has ${formatEther(balance)} ether, and the deployment takes up to ${formatEther(cost)}.`,
  );
}

/**
 * @param {import('viem').PublicClient} reader
 * @param {Hex} hash
 */
async function untilMined(reader, hash) {
  for (const began = Date.now(); Date.now() - began < PATIENCE_MS; await delay(LOOK_EVERY_MS)) {
    try {
      return await reader.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
    }
  }
  throw new Failed('The transaction was sent and has not been mined: it may still be. Look it up before trying again.');
}

/**
 * What was deployed, by its own words.
 * @param {import('viem').PublicClient} reader
 * @param {Hex} address
 * @param {{ admin: Hex, registrar: Hex, endpoints: string[] }} expected
 */
async function verify(reader, address, { admin, registrar, endpoints }) {
  const contract = /** @type {const} */ ({ address, abi: contentRegistryAbi });
  const [version, actualAdmin, isRegistrar, actualEndpoints] = await Promise.all([
    reader.readContract({ ...contract, functionName: 'c2paSpecVersion' }),
    reader.readContract({ ...contract, functionName: 'defaultAdmin' }),
    reader.readContract({ ...contract, functionName: 'hasRole', args: [REGISTRAR_ROLE, registrar] }),
    reader.readContract({ ...contract, functionName: 'endpoints' }),
  ]);
  const isRight =
    version === SPEC_VERSION &&
    isAddressEqual(actualAdmin, admin) &&
    isRegistrar &&
    actualEndpoints.join('\n') === endpoints.join('\n');
  if (!isRight) throw new Failed(`The contract at ${address} does not say what it should.`);
}

/**
 * What the node said, in a line. viem's own messages go on to name the node's address, which may hold a key.
 * @param {unknown} error
 */
function reasonOf(error) {
  const text = error instanceof BaseError ? error.details || error.shortMessage : String(error);
  return text.split('\n')[0];
}

/** @param {string} text */
function complain(text) {
  process.stderr.write(`${text}\n`);
}

main().catch((error) => {
  const isOurs = error instanceof UsageError || error instanceof Failed;
  complain(isOurs ? error.message : `The deployment failed: ${reasonOf(error)}`);
  process.exitCode = error instanceof UsageError ? EXIT_WRONG_USE : EXIT_FAILED;
});
