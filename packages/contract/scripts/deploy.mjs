// `npm run deploy -w packages/contract -- …`: deploys the registry, or the contract of the log's anchors, on any chain, and
// verifies the deployment.

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  contentRegistryAbi,
  contentRegistryBytecode,
  MAX_ENDPOINT_LENGTH,
  MAX_ENDPOINTS,
  REGISTRAR_ROLE,
  registryLogAbi,
  registryLogBytecode,
  SPEC_VERSION,
} from '@provenance-registry/contract';
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
  TransactionReceiptNotFoundError,
  zeroAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const help = `Deploys the registry contract, or with --log the contract that takes the anchors of the public log.

  DEPLOYER_PRIVATE_KEY=0x… npm run deploy -w packages/contract -- \\
    --rpc-url https://… --admin 0x… --registrar 0x… --endpoint https://…/api/c2pa

  DEPLOYER_PRIVATE_KEY=0x… npm run deploy -w packages/contract -- --log --rpc-url https://… --registrar 0x…

  --rpc-url URL          JSON-RPC URL of the chain (or RPC_URL in the environment, which other users cannot see)
  --admin ADDRESS        grants and revokes roles; use a multi-signature wallet. Also gets the pauser and endpoint roles
  --registrar ADDRESS    account of the service's CHAIN_PRIVATE_KEY, which writes to the curated registry
  --endpoint URL         BASE_URL of the service and /api/c2pa; repeat the option for up to eight endpoints
  --admin-delay SECONDS  delay in which a transfer of the admin role can be canceled (default: 172800, two days)
  --log                  the contract of the log: the registrar is its writer for good; no other options
  --help                 show this help

The deployer's private key is read from DEPLOYER_PRIVATE_KEY. It pays for the deployment and gets no role.
`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Two days: enough to notice that the admin's key was stolen. */
const ADMIN_DELAY_SECONDS = 172_800;
/** More than a year is a mistake in the unit. */
const MAX_ADMIN_DELAY_SECONDS = 31_536_000;
/** Some nodes estimate too low. */
const GAS_MARGIN_PERCENT = 10n;
const RECEIPT_POLL_MS = 1_000;
/** Longer than any chain takes for a transaction with current fees. */
const MINING_TIMEOUT_MS = 600_000;

class UsageError extends Error {}
class DeploymentError extends Error {}

/** @typedef {`0x${string}`} Hex */

/** @returns {Promise<void>} */
async function main() {
  const options = readOptions();
  if (!options) {
    process.stdout.write(help);
    return;
  }
  const { rpcUrl, key, registrar } = options;
  const account = privateKeyToAccount(key);
  const transport = http(rpcUrl, { retryCount: 1 });
  const reader = createPublicClient({ transport, cacheTime: 0 });
  const data = encodeDeployment(options);

  const chainId = await reader.getChainId().catch((error) => {
    throw new DeploymentError(`The node cannot be reached: ${errorMessage(error)}`);
  });
  const estimate = await reader.estimateGas({ account: account.address, data });
  const gas = estimate + (estimate * GAS_MARGIN_PERCENT) / 100n;
  await requireFunds(reader, account.address, gas);
  if (options.registry && isAddressEqual(options.registry.admin, registrar)) {
    printError("Warning: admin and registrar are the same account. A thief of the service's key would control both.");
  }

  const wallet = createWalletClient({ account, transport });
  const hash = await wallet.sendTransaction({ data, gas, chain: null });
  // Printed at once, so that the transaction can be looked up whatever happens next.
  process.stdout.write(`Chain        ${chainId}\nDeployer     ${account.address}\nTransaction  ${hash}\n`);
  const receipt = await waitForReceipt(reader, hash);
  if (receipt.status !== 'success' || !receipt.contractAddress)
    throw new DeploymentError('The transaction was reverted.');
  const address = getAddress(receipt.contractAddress);
  if (options.registry) await verifyDeployment(reader, address, { registrar, ...options.registry });
  else await verifyLogContract(reader, address, registrar);
  process.stdout.write(`Gas          ${receipt.gasUsed}
Contract     ${address}

The contract is deployed and has the requested ${options.registry ? 'roles' : 'writer'}. Settings for the service:

${options.registry ? 'REGISTRY_ADDRESS' : 'LOG_CONTRACT'}=${address}
CHAIN_ID=${chainId}
# RPC_URL: the URL that you used here
# CHAIN_PRIVATE_KEY: the private key of ${registrar}
`);
}

/** Undefined when help is requested. Throws one UsageError with all problems. */
function readOptions() {
  const values = parseOptions();
  if (values.help) return undefined;
  /** @type {string[]} */
  const problems = [];
  /** @type {(isValid: boolean, problem: string) => void} */
  const check = (isValid, problem) => {
    if (!isValid) problems.push(problem);
  };
  const rpcUrl = values['rpc-url'] ?? process.env['RPC_URL'] ?? '';
  const key = process.env['DEPLOYER_PRIVATE_KEY'] ?? '';
  const { admin = '', registrar = '', endpoint: endpoints = [], log: isLog = false } = values;
  const adminDelay = Number(values['admin-delay'] ?? ADMIN_DELAY_SECONDS);
  check(isWebUrl(rpcUrl), '--rpc-url: not an http:// or https:// URL');
  const hasOthers = admin !== '' || endpoints.length > 0 || values['admin-delay'] !== undefined;
  check(!isLog || !hasOthers, '--log: not together with --admin, --endpoint and --admin-delay');
  check(isLog || isAccountAddress(admin), '--admin: not a valid address');
  check(isAccountAddress(registrar), '--registrar: not a valid address');
  check(
    isLog || (endpoints.length > 0 && endpoints.length <= MAX_ENDPOINTS),
    `--endpoint: use it 1 to ${MAX_ENDPOINTS} times`,
  );
  for (const endpoint of endpoints) {
    const isShort = Buffer.byteLength(endpoint) <= MAX_ENDPOINT_LENGTH;
    check(
      isWebUrl(endpoint) && isShort,
      `--endpoint: "${endpoint}" is not an http:// or https:// URL of up to ${MAX_ENDPOINT_LENGTH} bytes`,
    );
  }
  check(
    Number.isInteger(adminDelay) && adminDelay >= 0 && adminDelay <= MAX_ADMIN_DELAY_SECONDS,
    `--admin-delay: must be a number of seconds from 0 to ${MAX_ADMIN_DELAY_SECONDS}`,
  );
  check(isPrivateKey(key), 'DEPLOYER_PRIVATE_KEY: must be a private key: 0x and 64 hexadecimal digits');
  const registry = isAccountAddress(admin) ? { admin, endpoints, adminDelay } : undefined;
  if (problems.length > 0 || !isAccountAddress(registrar) || !isPrivateKey(key)) {
    throw new UsageError([...problems, 'Use --help for help.'].join('\n'));
  }
  return { rpcUrl, key, registrar, registry };
}

function parseOptions() {
  const options = /** @type {const} */ ({
    'rpc-url': { type: 'string' },
    admin: { type: 'string' },
    registrar: { type: 'string' },
    endpoint: { type: 'string', multiple: true },
    'admin-delay': { type: 'string' },
    log: { type: 'boolean' },
    help: { type: 'boolean' },
  });
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // Without the argument, which may be a key.
    const isUnknown = error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    throw new UsageError(`${isUnknown ? 'Unknown option' : 'Invalid arguments'}. Use --help for help.`);
  }
}

/** @param {string} text */
function isWebUrl(text) {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/**
 * Also checks the checksum of mixed-case addresses.
 * @param {string} text
 * @returns {text is Hex}
 */
function isAccountAddress(text) {
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
async function requireFunds(reader, address, gas) {
  const fees = await reader.estimateFeesPerGas().catch(() => undefined);
  const price = fees?.maxFeePerGas ?? (await reader.getGasPrice());
  const balance = await reader.getBalance({ address });
  const cost = gas * price;
  if (balance >= cost) return;
  throw new DeploymentError(
    `The deployer ${address} has ${formatEther(balance)} ether; the deployment costs up to ${formatEther(cost)}.`,
  );
}

/**
 * @param {import('viem').PublicClient} reader
 * @param {Hex} hash
 */
async function waitForReceipt(reader, hash) {
  for (const startedAt = Date.now(); Date.now() - startedAt < MINING_TIMEOUT_MS; await delay(RECEIPT_POLL_MS)) {
    try {
      return await reader.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
    }
  }
  throw new DeploymentError('The transaction was sent but is not mined yet. Look it up before you try again.');
}

/**
 * @param {import('viem').PublicClient} reader
 * @param {Hex} address
 * @param {{ admin: Hex, registrar: Hex, endpoints: string[] }} expected
 */
async function verifyDeployment(reader, address, { admin, registrar, endpoints }) {
  const contract = /** @type {const} */ ({ address, abi: contentRegistryAbi });
  const [version, actualAdmin, isRegistrar, actualEndpoints] = await Promise.all([
    reader.readContract({ ...contract, functionName: 'c2paSpecVersion' }),
    reader.readContract({ ...contract, functionName: 'defaultAdmin' }),
    reader.readContract({ ...contract, functionName: 'hasRole', args: [REGISTRAR_ROLE, registrar] }),
    reader.readContract({ ...contract, functionName: 'endpoints' }),
  ]);
  const isAsRequested =
    version === SPEC_VERSION &&
    isAddressEqual(actualAdmin, admin) &&
    isRegistrar &&
    actualEndpoints.join('\n') === endpoints.join('\n');
  if (!isAsRequested)
    throw new DeploymentError(`The contract at ${address} does not have the requested version, roles and endpoints.`);
}

/**
 * The contract to deploy: that of the log, unless there is a registry to set up.
 * @param {{ registrar: Hex, registry: { admin: Hex, endpoints: string[], adminDelay: number } | undefined }} options
 */
function encodeDeployment({ registrar, registry }) {
  if (!registry) return encodeDeployData({ abi: registryLogAbi, bytecode: registryLogBytecode, args: [registrar] });
  const { admin, adminDelay, endpoints } = registry;
  const args = /** @type {const} */ ([admin, adminDelay, registrar, endpoints]);
  return encodeDeployData({ abi: contentRegistryAbi, bytecode: contentRegistryBytecode, args });
}

/**
 * @param {import('viem').PublicClient} reader
 * @param {Hex} address
 * @param {Hex} writer
 */
async function verifyLogContract(reader, address, writer) {
  const actual = await reader.readContract({ address, abi: registryLogAbi, functionName: 'writer' });
  if (!isAddressEqual(actual, writer)) throw new DeploymentError(`The contract at ${address} has another writer.`);
}

/**
 * The node's error in one line. viem's full messages contain the node's URL, which may hold a key.
 * @param {unknown} error
 */
function errorMessage(error) {
  const text = error instanceof BaseError ? error.details || error.shortMessage : String(error);
  return text.split('\n')[0];
}

/** @param {string} text */
function printError(text) {
  process.stderr.write(`${text}\n`);
}

main().catch((error) => {
  const isExpected = error instanceof UsageError || error instanceof DeploymentError;
  printError(isExpected ? error.message : `The deployment failed: ${errorMessage(error)}`);
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
});
