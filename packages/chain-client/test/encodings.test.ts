// Calls, results, logs and RLP are encoded and decoded as viem does, which has them for every contract.

import { contentRegistryAbi, registryLogAbi } from '@provenance-registry/contract';
import {
  type AbiFunction,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  encodeFunctionResult,
  fromRlp,
  getAbiItem,
  getAddress,
  type Hex,
  keccak256 as keccak256OfViem,
  parseAbiParameters,
  toBytes,
  toEventSelector,
  toFunctionSelector,
  toHex,
  toRlp,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { randomBytes, randomInt } from '../../../test/support/random.js';
import { encodeHeader } from '../src/blockHeader.js';
import { errors, eventTopics, functionSelectors, logContractSelectors } from '../src/contractInterface.js';
import {
  decodePublicRegistration,
  encodeAnchor,
  encodeRegistrations,
  findAnchorsIn,
  findRegistrationIn,
  hasRole,
  InvalidProofError,
  InvalidResultError,
  JsonRpcError,
  NotARegistryError,
  readAnchoredHead,
  readCuratedCount,
  readCuratedManifestIds,
  readEndpoints,
  readEntry,
  readPublicEntries,
  readRegistryEvents,
  readSpecVersion,
  revertReason,
} from '../src/index.js';
import { keccak256 } from '../src/keccak.js';
import { decodeRlp, encodeRlp, type RlpItem } from '../src/rlp.js';

const ROUNDS = 12;
const registry = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const abi = contentRegistryAbi;

const hex = (length: number): Hex => toHex(randomBytes(length));
const account = () => getAddress(hex(20));
const many = <T>(max: number, create: () => T): T[] => Array.from({ length: randomInt(max + 1) }, create);
/** Text of one to four bytes a character, of up to 100 bytes. */
const text = () => many(25, () => String.fromCodePoint([0x41, 0x3b1, 0x4e2d, 0x1f600][randomInt(4)] ?? 0x20)).join('');
const entryOf = () => ({
  endpoints: many(8, text),
  manifestId: text(),
  manifestHash: hex(32),
  registeredBy: account(),
  timestamp: BigInt(randomInt(2 ** 32)),
});

/** A node that returns this, and the data of the calls that it received. */
function nodeWith(result: unknown) {
  const calls: unknown[] = [];
  const request = async ({ params: [call] = [] }: { readonly params?: readonly unknown[] }) => {
    calls.push(typeof call === 'object' && call && 'data' in call ? call.data : call);
    return result;
  };
  return { calls, request };
}

const times = Array.from({ length: ROUNDS }, (_, round) => round);

describe('the contract', () => {
  it('has the functions, events and errors under these selectors', () => {
    const selectorOf = (name: string, select: (item: AbiFunction) => Hex) => {
      const item = abi.find((one) => 'name' in one && one.name === name);
      return select(JSON.parse(JSON.stringify(item)));
    };
    for (const [name, selector] of Object.entries(functionSelectors))
      expect(selectorOf(name, toFunctionSelector)).toBe(selector);
    for (const [name, topic] of Object.entries(eventTopics))
      expect(toEventSelector(JSON.parse(JSON.stringify(abi.find((one) => 'name' in one && one.name === name))))).toBe(
        topic,
      );
    const declared = [...abi, ...registryLogAbi].flatMap((item) => {
      if (item.type !== 'error') return [];
      const signature = `${item.name}(${item.inputs.map(({ type }) => type).join()})`;
      return [[item.name, item.inputs.length, toFunctionSelector(signature)]];
    });
    expect(errors.slice(0, -2)).toEqual(declared);
  });

  it('of anchors is called, and its events are read, as viem does it', async () => {
    const { Anchored, ...functions } = logContractSelectors;
    expect(encodeEventTopics({ abi: registryLogAbi, eventName: 'Anchored' })).toEqual([Anchored]);
    for (const item of registryLogAbi.filter((one) => one.type === 'function'))
      expect(functions[item.name]).toBe(toFunctionSelector(item));
    for (const proof of [[], [hex(32)], times.map(() => hex(32))]) {
      const [size, root, address] = [1 + randomInt(2 ** 40), hex(32), account()];
      const args = [BigInt(size), root, proof] as const;
      expect(encodeAnchor({ size, root }, proof)).toBe(
        encodeFunctionData({ abi: registryLogAbi, functionName: 'anchor', args }),
      );
      const result = encodeFunctionResult({ abi: registryLogAbi, functionName: 'head', result: [args[0], root] });
      expect(await readAnchoredHead(nodeWith(result), address)).toEqual({ size, root });
      const topics = [Anchored, toHex(size, { size: 32 })];
      expect(findAnchorsIn([{ address, topics, data: root }], address)).toEqual([{ size, root }]);
      const foreign = [
        { address: account(), topics, data: root },
        { address, topics: [eventTopics.EndpointsChanged, topics[1] ?? root], data: root },
        { address, topics: [Anchored], data: root },
        { address, topics: [...topics, root], data: root },
        { address, topics: [Anchored, toHex(2n ** 53n, { size: 32 })], data: root },
        { address, topics, data: hex(33) },
      ];
      expect(findAnchorsIn(foreign, address)).toEqual([]);
    }
    await expect(readAnchoredHead(nodeWith('0x'), registry)).rejects.toThrow(NotARegistryError);
  });

  it('is called with the bytes that viem sends, and its results are read as viem reads them', async () => {
    for (const round of times) {
      const [fingerprint, role, who] = [hex(32), hex(32), account()];
      const { endpoints, manifestId, manifestHash, registeredBy, timestamp } = entryOf();
      const source = 1 + (round % 2);
      const resolve = { abi, functionName: 'resolveByBindingDetailed' } as const;
      const entry = nodeWith(
        encodeFunctionResult({
          ...resolve,
          result: [source, endpoints, manifestId, manifestHash, registeredBy, timestamp],
        }),
      );
      expect(await readEntry(entry, registry, fingerprint)).toEqual({
        ...{ source: source === 1 ? 'curated' : 'public', endpoints, manifestId, manifestHash, registeredBy },
        timestamp: Number(timestamp),
      });
      expect(entry.calls).toEqual([encodeFunctionData({ ...resolve, args: [fingerprint] })]);

      const list = { abi, functionName: 'publicEntries' } as const;
      const entries = many(5, entryOf);
      const page = nodeWith(encodeFunctionResult({ ...list, result: entries }));
      const [offset, limit] = [randomInt(1000), randomInt(1000)];
      expect(await readPublicEntries(page, registry, fingerprint, { offset, limit })).toEqual(
        entries.map((one) => ({
          registeredBy: one.registeredBy,
          manifestHash: one.manifestHash,
          timestamp: Number(one.timestamp),
        })),
      );
      expect(page.calls).toEqual([encodeFunctionData({ ...list, args: [fingerprint, BigInt(offset), BigInt(limit)] })]);

      const findIds = { abi, functionName: 'curatedManifestIds' } as const;
      const fingerprints = many(5, () => hex(32));
      const expectedIds = fingerprints.map(() => hex(16));
      const ids = nodeWith(encodeFunctionResult({ ...findIds, result: expectedIds }));
      expect(await readCuratedManifestIds(ids, registry, fingerprints)).toEqual(expectedIds);
      expect(ids.calls).toEqual([encodeFunctionData({ ...findIds, args: [fingerprints] })]);

      const role_ = { abi, functionName: 'hasRole' } as const;
      const granted = nodeWith(encodeFunctionResult({ ...role_, result: round % 2 === 0 }));
      expect(await hasRole(granted, registry, role, who)).toBe(round % 2 === 0);
      expect(granted.calls).toEqual([encodeFunctionData({ ...role_, args: [role, who] })]);

      const registrations = many(5, () => ({
        ...{ fingerprint: hex(32), manifestId: hex(16), manifestHash: hex(32), userIdHash: hex(32) },
      }));
      expect(encodeRegistrations(registrations)).toBe(
        encodeFunctionData({ abi, functionName: 'registerManifests', args: [registrations] }),
      );
      const args = [fingerprint, endpoints, manifestId, manifestHash] as const;
      const direct = encodeFunctionData({ abi, functionName: 'registerPublicManifest', args });
      expect(decodePublicRegistration(direct)).toEqual({ fingerprint, manifestHash });
      expect(decodePublicRegistration(direct.slice(0, 200) as Hex)).toBeUndefined();
    }
  });

  it('returns its constants as viem reads them', async () => {
    const simple = (name: 'curatedCount' | 'c2paSpecVersion' | 'endpoints', result: unknown) => {
      const { outputs } = getAbiItem({ abi, name });
      return nodeWith(encodeAbiParameters(outputs, [result] as never));
    };
    expect(await readCuratedCount(simple('curatedCount', 2n ** 255n), registry, 7n)).toBe(2n ** 255n);
    expect(await readSpecVersion(simple('c2paSpecVersion', '2.2.0'), registry)).toBe('2.2.0');
    expect(await readEndpoints(simple('endpoints', ['', 'https://ä.example']), registry)).toEqual([
      '',
      'https://ä.example',
    ]);
  });

  it('is not recognized by results that viem does not accept, and others are read alike', async () => {
    const resolve = { abi, functionName: 'resolveByBindingDetailed' } as const;
    let refused = 0;
    for (const _ of Array.from({ length: 20 * ROUNDS })) {
      const { endpoints, manifestId, manifestHash, registeredBy, timestamp } = entryOf();
      const honest = encodeFunctionResult({
        ...resolve,
        result: [1, endpoints, manifestId, manifestHash, registeredBy, timestamp],
      });
      const data = damage(honest);
      try {
        const entry = await readEntry(nodeWith(data), registry, hex(32));
        const [, ...expected] = decodeFunctionResult({ ...resolve, data });
        expect([entry?.endpoints, entry?.manifestId, entry?.manifestHash, entry?.registeredBy]).toEqual(
          expected.slice(0, 4),
        );
        expect(BigInt(entry?.timestamp ?? 0)).toBe(expected[4]);
      } catch (error) {
        refused += 1;
        expect(error).toSatisfy((one) => one instanceof NotARegistryError || one instanceof InvalidResultError);
      }
    }
    expect(refused).toBeGreaterThan(ROUNDS);
  });

  it('cannot return a short encoding that stands for a long one', async () => {
    const word = (value: number) => value.toString(16).padStart(64, '0');
    // 200 texts in one place, of 6,400 bytes.
    const texts = Array.from({ length: 200 }, () => word(200 * 32)).join('');
    const data = `0x${word(32)}${word(200)}${texts}${word(6_400)}${'41'.repeat(6_400)}`;
    await expect(readEndpoints(nodeWith(data), registry)).rejects.toThrow(NotARegistryError);
    await expect(readEndpoints(nodeWith(`0x${word(32)}${'f'.repeat(64)}`), registry)).rejects.toThrow(
      NotARegistryError,
    );
  });

  it('names its errors in reverts', () => {
    const reason = (data: string) => revertReason(new JsonRpcError(3, 'execution reverted', data));
    const notFound = encodeErrorResult({ abi, errorName: 'ManifestNotFound', args: [hex(32)] });
    expect(reason(notFound)).toBe('ManifestNotFound');
    expect(reason(notFound.slice(0, -2))).toBe('0x7a28245c');
    expect(reason(encodeErrorResult({ abi, errorName: 'EnforcedPause' }))).toBe('EnforcedPause');
    expect(reason(`0x08c379a0${encodeAbiParameters(parseAbiParameters('string'), ['no']).slice(2)}`)).toBe('Error');
    expect(reason(`0x4e487b71${'11'.padStart(64, '0')}`)).toBe('Panic');
    expect(reason('0x12345678')).toBe('0x12345678');
    expect(reason('0x')).toBe('no reason given');
  });
});

it('the logs of registrations say what viem encodes', async () => {
  const position = { blockNumber: toHex(2), blockHash: hex(32), transactionHash: hex(32) };
  const binding = parseAbiParameters('string[], string');
  for (const _ of times) {
    const [fingerprint, metadataHash, registeredBy] = [hex(32), hex(32), account()];
    const { endpoints, manifestId } = entryOf();
    const data = encodeAbiParameters(binding, [endpoints, manifestId]);
    const topicsOf = (eventName: keyof typeof eventTopics, args: object): Hex[] =>
      encodeEventTopics({ abi, eventName, args } as never).flatMap((topic) => topic ?? []);
    const logs = [
      { topics: topicsOf('SoftBindingRegistered', { fingerprint }), data },
      { topics: topicsOf('ManifestRegistered', { fingerprint, userIdHash: hex(32) }), data: metadataHash },
      { topics: topicsOf('PublicSoftBindingRegistered', { fingerprint, registeredBy }), data },
    ].map((log, index) => ({ ...position, address: registry, logIndex: toHex(index), ...log }));
    const [curated, metadata, open] = logs;
    if (!curated || !metadata || !open) throw new Error('three logs');
    expect(findRegistrationIn([open, curated, metadata], registry, fingerprint)).toEqual({
      ...{ source: 'curated', endpoints, manifestId, manifestHash: metadataHash },
    });
    expect(findRegistrationIn([open, metadata], registry, fingerprint)).toEqual({
      ...{ source: 'public', endpoints, manifestId, registeredBy },
    });
    const broken = { ...curated, data: data.slice(0, -64) as Hex };
    expect(findRegistrationIn([broken], registry, fingerprint)).toSatisfy(
      (found) => found === undefined || manifestId === '',
    );
    expect(await readRegistryEvents(nodeWith(logs), registry, { from: 1n, to: 3n })).toMatchObject([
      { kind: 'curated', fingerprint, manifestId, manifestHash: metadataHash, logIndex: 0, blockNumber: 2n },
      { kind: 'public', fingerprint, manifestId, endpoints, registeredBy: registeredBy.toLowerCase(), logIndex: 2 },
    ]);
  }
});

describe('RLP', () => {
  const itemOf = (depth: number): RlpItem =>
    depth > 0 && randomInt(2) === 0
      ? many(4, () => itemOf(depth - 1))
      : hex([0, 1, 2, 55, 56, 70, 300][randomInt(7)] ?? 0);

  it('is that of viem', () => {
    for (const _ of times) {
      const item = itemOf(4);
      const encoded = toRlp(item as Hex);
      expect(encodeRlp(item)).toBe(encoded);
      expect(decodeRlp(encoded)).toEqual(item);
      expect(keccak256(encoded)).toBe(keccak256OfViem(encoded));
      try {
        const damaged = damage(encoded);
        expect(decodeRlp(damaged)).toEqual(fromRlp(damaged, 'hex'));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidProofError);
      }
    }
  });

  it.each([
    ['is empty', '0x'],
    ['has bytes after its end', '0xc080'],
    ['ends too early', '0x83aabb'],
    ['has a byte with a length that it does not need', '0x8101'],
    ['has a long length where a short one is enough', '0xb801aa'],
    ['has a length with a zero in front', `0xb90038${'aa'.repeat(56)}`],
    [
      'has lists in lists in lists without end',
      `0x${Array.from({ length: 50 }, (_, depth) => (0xc0 + 50 - depth).toString(16)).join('')}c0`,
    ],
  ] as const)('is refused when it %s', (_, encoded) => {
    expect(() => decodeRlp(encoded)).toThrow(InvalidProofError);
  });

  it('of a block header lists its fields in the order of the hash', () => {
    const hash = () => hex(32);
    const amount = () => toHex(BigInt(hex(1 + randomInt(31))));
    const numberToBytes = (value: bigint) => toHex(toBytes(value));
    for (const _ of times) {
      const [first, second] = [hash(), hash()];
      const header = {
        ...{ parentHash: first, sha3Uncles: hash(), miner: hex(20), stateRoot: second, transactionsRoot: hash() },
        ...{ receiptsRoot: hash(), logsBloom: hex(256), difficulty: toHex(0), number: toHex(randomInt(2 ** 40)) },
        ...{
          gasLimit: amount(),
          gasUsed: amount(),
          timestamp: toHex(randomInt(2 ** 40)),
          extraData: hex(randomInt(32)),
        },
        ...{ mixHash: hash(), nonce: hex(8), baseFeePerGas: amount(), withdrawalsRoot: hash() },
      } as const;
      const numbers = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'baseFeePerGas'];
      const minimal = (amount: bigint): Hex => (amount === 0n ? '0x' : numberToBytes(amount));
      const fields = Object.entries(header).map(([name, field]) =>
        numbers.includes(name) ? minimal(BigInt(field)) : field,
      );
      expect(encodeHeader(header)).toBe(toRlp(fields));
    }
  });
});

/** One byte changed, or some missing at the end. */
function damage(data: Hex): Hex {
  const bytes = Buffer.from(data.slice(2), 'hex');
  const position = randomInt(bytes.length);
  if (randomInt(4) === 0) return toHex(bytes.subarray(0, position));
  // Most bytes are zeros in front of a length or an offset: small changes find the limits.
  bytes[position] = (bytes[position] ?? 0) ^ (1 << randomInt(8));
  return toHex(bytes);
}
