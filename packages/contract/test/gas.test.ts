// What registrations cost on a real EVM, with one endpoint of 40 bytes.

import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../test/support/random.js';
import { TRANSACTION_GAS_LIMIT } from './support/evm.js';
import { argumentsOf, endpoint, type Registry, random, registration, startRegistry } from './support/registry.js';

/** Bytes that the EIP-170 limit allows for a contract. */
const CODE_LIMIT = 24_576;

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
  await registry.registrar.write.registerManifest(argumentsOf(registration()));
});

const batchOf = (size: number) => Array.from({ length: size }, registration);

describe('the price of a registration', () => {
  it('is at most 95,000 gas for one manifest alone', async () => {
    const hash = await registry.registrar.write.registerManifest(argumentsOf(registration()));
    const { gasUsed } = await registry.receipt(hash);
    expect(gasUsed).toBeLessThanOrEqual(95_000n);
  });

  it('is at most 53,000 gas each for a hundred manifests together', async () => {
    const hash = await registry.registrar.write.registerManifests([batchOf(100)]);
    const { gasUsed, logs } = await registry.receipt(hash);
    expect(logs).toHaveLength(200);
    expect(gasUsed / 100n).toBeLessThanOrEqual(53_000n);
  });

  it('is small for a batch that was registered before', async () => {
    const batch = batchOf(100);
    await registry.registrar.write.registerManifests([batch]);
    const { gasUsed } = await registry.receipt(await registry.registrar.write.registerManifests([batch]));
    expect(gasUsed / 100n).toBeLessThanOrEqual(5_500n);
  });

  it('lets 300 manifests into one transaction', async () => {
    const gas = await registry.registrar.estimateGas.registerManifests([batchOf(300)]);
    expect(gas).toBeLessThanOrEqual(TRANSACTION_GAS_LIMIT);
  });

  it('is at most 290,000 gas for a public one', async () => {
    const hash = await registry.alice.write.registerPublicManifest([
      random(32),
      [endpoint],
      `urn:c2pa:${randomUUID()}`,
      random(32),
    ]);
    const { gasUsed } = await registry.receipt(hash);
    expect(gasUsed).toBeLessThanOrEqual(290_000n);
  });
});

describe('the contract', () => {
  it('fits the size limit of a chain and one transaction', async () => {
    const code = await registry.evm.reader.getCode({ address: registry.address });
    const size = ((code?.length ?? 0) - 2) / 2;
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThanOrEqual(CODE_LIMIT);
    expect(registry.deploymentGas).toBeLessThanOrEqual(TRANSACTION_GAS_LIMIT);
  });
});
