// The deployment script, run the way people run it, against the development chain.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { contentRegistryAbi, registryLogAbi } from '@provenance-registry/contract';
import { type DevelopmentChain, startDevelopmentChain } from '@provenance-registry/dev-chain';
import { createPublicClient, http, isAddress, keccak256, stringToBytes } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { call, startService, temporaryFolder } from '../../../../test/support/service.js';
import { admin, registrar } from '../../../../test/support/wallets.js';

const script = fileURLToPath(new URL('../../../contract/scripts/deploy.mjs', import.meta.url));
const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** Of the first well-known account. */
const fundedKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const unfundedKey = `0x${'c3'.repeat(32)}`;
const registrarKey = `0x${'b2'.repeat(32)}`;
const endpoint = 'https://registry.example.com/api/c2pa';

let chain: DevelopmentChain;
beforeAll(async () => {
  chain = await startDevelopmentChain({
    folder: await temporaryFolder(),
    port: 0,
    funded: [registrar.address],
    confirmations: 1,
    onFault: (reason) => {
      throw reason;
    },
  });
});
afterAll(() => chain.close());

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly complaints: string;
}

function run(command: string, args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd: root, env }, (_error, output, complaints) => {
      resolve({ code: child.exitCode ?? -1, output, complaints });
    });
  });
}

const rightUse = () => ['--rpc-url', chain.url, '--admin', admin.address, '--registrar', registrar.address];
const deploy = (args: string[], key = fundedKey) =>
  run(process.execPath, [script, ...args], { DEPLOYER_PRIVATE_KEY: key });

it('The contract of the log is deployed with its writer, and the setting for the service is printed', async () => {
  const target = ['--log', '--rpc-url', chain.url];
  const { code, output, complaints } = await deploy([...target, '--registrar', registrar.address]);
  expect([code, complaints]).toEqual([0, '']);
  const address = /^LOG_CONTRACT=(.*)$/m.exec(output)?.[1] ?? '';
  if (!isAddress(address)) throw new Error(output);
  const reader = createPublicClient({ transport: http(chain.url) });
  const contract = { address, abi: registryLogAbi } as const;
  expect(await reader.readContract({ ...contract, functionName: 'writer' })).toBe(registrar.address);
  expect(await reader.readContract({ ...contract, functionName: 'head' })).toEqual([0n, `0x${'00'.repeat(32)}`]);

  const misused = await deploy([...target, '--registrar', registrar.address, '--admin', admin.address]);
  expect([misused.code, misused.complaints]).toEqual([2, expect.stringContaining('--log: not together with')]);
});

it('A registry is deployed and verified, and the service can use it with the printed settings', async () => {
  const args = [
    ...rightUse(),
    '--endpoint',
    endpoint,
    '--endpoint',
    'https://two.example/c2pa',
    '--admin-delay',
    '3600',
  ];
  const { code, output, complaints } = await deploy(args);
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
  expect(output).not.toContain(fundedKey.slice(2));
  const readOutput = (form: RegExp) => form.exec(output)?.[1] ?? '';
  const address = readOutput(/^REGISTRY_ADDRESS=(\S+)$/m);
  const hash = readOutput(/^Transaction {2}(0x[0-9a-f]{64})$/m);
  expect(readOutput(/^CHAIN_ID=(\d+)$/m)).toBe('31337');
  expect(Number(readOutput(/^Gas +(\d+)$/m))).toBeGreaterThan(1_000_000);
  if (!isAddress(address)) throw new Error(output);

  const reader = createPublicClient({ transport: http(chain.url) });
  const contract = { address, abi: contentRegistryAbi } as const;
  const receipt = await reader.getTransactionReceipt({ hash: `0x${hash.slice(2)}` });
  expect(receipt).toMatchObject({ status: 'success', contractAddress: address.toLowerCase() });
  expect(await reader.readContract({ ...contract, functionName: 'defaultAdmin' })).toBe(admin.address);
  expect(await reader.readContract({ ...contract, functionName: 'defaultAdminDelay' })).toBe(3600);
  expect(await reader.readContract({ ...contract, functionName: 'endpoints' })).toEqual([
    endpoint,
    'https://two.example/c2pa',
  ]);
  const role = keccak256(stringToBytes('REGISTRAR_ROLE'));
  const deployer = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const hasRole = (account: `0x${string}`) =>
    reader.readContract({ ...contract, functionName: 'hasRole', args: [role, account] });
  expect(await Promise.all([hasRole(registrar.address), hasRole(deployer)])).toEqual([true, false]);

  const service = await startService({
    RPC_URL: chain.url,
    REGISTRY_ADDRESS: address,
    CHAIN_ID: '31337',
    CHAIN_PRIVATE_KEY: registrarKey,
  });
  expect((await call(service, 'GET', '/readyz')).body.checks.chain).toBe('ok');
  expect((await call(service, 'GET', '/c2pa/contract')).body.address).toBe(address);
});

it('npm runs it, with the URL of the node from the environment', async () => {
  const args = ['run', '--silent', 'deploy', '-w', 'packages/contract', '--'];
  expect(await run('npm', [...args, '--help'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('DEPLOYER_PRIVATE_KEY'),
  });
  const use = ['--admin', admin.address, '--registrar', registrar.address, '--endpoint', endpoint];
  const environment = { DEPLOYER_PRIVATE_KEY: fundedKey, RPC_URL: chain.url };
  expect(await run('npm', [...args, ...use], environment)).toMatchObject({
    code: 0,
    output: expect.stringContaining('REGISTRY_ADDRESS=0x'),
  });
});

it('One account for both roles leads to a warning', async () => {
  const args = ['--rpc-url', chain.url, '--admin', admin.address, '--registrar', admin.address, '--endpoint', endpoint];
  const { code, complaints } = await deploy(args);
  expect(code).toBe(0);
  expect(complaints).toContain('Warning: admin and registrar are the same account');
});

it('All problems with the options are reported at once, and nothing is deployed', async () => {
  const mistyped = admin.address.replace(/[a-f]/, (letter) => letter.toUpperCase());
  const args = [
    '--rpc-url',
    'ws://x',
    '--admin',
    mistyped,
    '--registrar',
    `0x${'00'.repeat(20)}`,
    '--admin-delay',
    '1.5',
  ];
  const { code, complaints, output } = await deploy([...args, '--endpoint', 'ftp://x'], '0x12');
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(complaints.trim().split('\n')).toEqual([
    '--rpc-url: not an http:// or https:// URL',
    '--admin: not a valid address',
    '--registrar: not a valid address',
    '--endpoint: "ftp://x" is not an http:// or https:// URL of up to 256 bytes',
    '--admin-delay: must be a number of seconds from 0 to 31536000',
    'DEPLOYER_PRIVATE_KEY: must be a private key: 0x and 64 hexadecimal digits',
    'Use --help for help.',
  ]);
});

it('A key in the arguments is not used, and not printed', async () => {
  const { code, complaints } = await deploy([...rightUse(), '--endpoint', endpoint, '--private-key', fundedKey]);
  expect(code).toBe(2);
  expect(complaints).toBe('Unknown option. Use --help for help.\n');
  const misplaced = await deploy([...rightUse(), '--endpoint', endpoint, fundedKey]);
  expect(misplaced.code).toBe(2);
  expect(misplaced.complaints).not.toContain(fundedKey);
});

it('A deployer without funds sees the cost', async () => {
  const { code, complaints } = await deploy([...rightUse(), '--endpoint', endpoint], unfundedKey);
  expect(code).toBe(1);
  expect(complaints).toMatch(/^The deployer 0x\w{40} has 0 ether; the deployment costs up to 0\.\d+\.\n$/);
});

it('An unavailable node is reported without its URL', async () => {
  const url = `http://127.0.0.1:${await freePort()}/v2/secret-key`;
  const use = ['--rpc-url', url, '--admin', admin.address, '--registrar', registrar.address, '--endpoint', endpoint];
  const { code, complaints } = await deploy(use);
  expect(code).toBe(1);
  expect(complaints).toContain('The node cannot be reached');
  expect(complaints).not.toContain('secret-key');
});
