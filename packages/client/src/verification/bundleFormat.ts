// The format of bundles: what a file of evidence has, and which of it is proven. Described in docs/bundles.md.

import { FingerprintText, Timestamp } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { InvalidResponseError } from '../errors.js';
import { ArtifactMetadata } from '../recordSchemas.generated.js';
import { isInteroperable } from './interoperableJson.js';

export const BUNDLE_FORMAT = { format: 'provenance-bundle', version: 3 } as const;

/** Headers have half a kilobyte; some chains add the signatures of their validators. */
const MAX_HEADER_DIGITS = 2 * 65_536;
/** The RLP of an index has at most five bytes, hence ten digits: a node for each, and the leaf. */
const MAX_NODES = 11;
/** The largest chain id in JSON that every language reads exactly. */
const MAX_CHAIN_ID = Number.MAX_SAFE_INTEGER;

/** The SDK downloads manifests of up to 16 MiB; base64 has four characters for three bytes. */
const MAX_MANIFEST_CHARACTERS = 24 * 1024 * 1024;

const UUID = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** At a billion leaves and with three cosignatures, receipts have two kilobytes. */
const MAX_RECEIPT_CHARACTERS = 64 * 1024;
/** Of the proof in a tree of 2⁵³ leaves; C2SP allows 63. */
const MAX_INCLUSION_HASHES = 63;
/** Leaves have at most as many bytes. */
const MAX_LEAF_CHARACTERS = 4096;

/** A pattern that also checked the length would exhaust the stack of the engine: {@link isCanonical} checks it. */
const Base64 = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', maxLength: MAX_MANIFEST_CHARACTERS, description });

/**
 * One form for the same bytes: lower case. A pattern that counted the digits would exhaust the stack of the engine:
 * {@link hasWholeBytes} does.
 */
const Bytes = (description: string, maxDigits?: number) =>
  Type.Unsafe<`0x${string}`>(
    Type.String({
      pattern: '^0x[0-9a-f]*$',
      ...(maxDigits !== undefined && { maxLength: 2 + maxDigits }),
      description,
    }),
  );

/** No property that this file does not name: what a reader ignores, others could take for proven. */
const closed = { additionalProperties: false };

const Proof = Type.Object(
  {
    header: Bytes('RLP of the block header. Its keccak-256 is the hash of the block.', MAX_HEADER_DIGITS),
    transactionIndex: Type.Integer({
      minimum: 0,
      maximum: 0xffff_ffff,
      description: 'The position of the transaction in the block. Its RLP is the key of the receipt in the trie.',
    }),
    receipt: Bytes('The receipt as in the trie: RLP, after the type of the transaction if it is not 0.'),
    nodes: Type.Array(Bytes('RLP of a node.'), {
      minItems: 1,
      maxItems: MAX_NODES,
      description: 'The nodes of the receipt trie from its root, whose hash the header has, to the leaf.',
    }),
  },
  { ...closed, description: 'Leads from the hash of a block to what a transaction in it logged.' },
);

const ChainId = Type.Integer({
  minimum: 1,
  maximum: MAX_CHAIN_ID,
  description: "The chain that has the block. The maker's word: a block header does not name its chain.",
});

const ChainProof = Type.Object(
  {
    chainId: ChainId,
    address: Type.String({
      pattern: '^0x[0-9a-f]{40}$',
      description: 'The registry contract, in lower case. Proven as the address that logged the registration.',
    }),
    proof: Proof,
  },
  { ...closed, description: 'The registration on chain; absent when the file was not on chain.' },
);

export type ChainProof = Static<typeof ChainProof>;

const AnchorProof = Type.Object(
  {
    chainId: ChainId,
    address: Type.String({
      pattern: '^0x[0-9a-f]{40}$',
      description: 'The contract that anchors the log, in lower case. Proven as the address that logged the anchor.',
    }),
    size: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The number of leaves that were anchored. Proven by the event, which also has the root.',
    }),
    hashes: Type.Array(Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-f]{64}$' })), {
      maxItems: MAX_INCLUSION_HASHES,
      description: 'From the sibling of the leaf to the child of the root of the tree that was anchored.',
    }),
    proof: Proof,
  },
  {
    ...closed,
    description: 'The first anchor of the log on chain that covers the leaf; absent when there was none, or no node.',
  },
);

export type AnchorProof = Static<typeof AnchorProof>;

const LogProof = Type.Object(
  {
    receipt: Type.String({
      maxLength: MAX_RECEIPT_CHARACTERS,
      description:
        'Leads from the leaf to a checkpoint that the log signed: a text of `c2sp.org/tlog-proof@v1`. Proven if you know the ' +
        'key of the log.',
    }),
    leaf: Type.String({ maxLength: MAX_LEAF_CHARACTERS, description: 'What the log has. Proven by the receipt.' }),
    opening: Type.Optional(
      Type.Object(
        {
          mark: Type.String({ pattern: UUID, description: 'The id of the Mark.' }),
          ai: Type.Array(Type.Integer({ minimum: 0, maximum: 3 }), {
            minItems: 4,
            maxItems: 4,
            description: 'The AI preferences, a number for each use.',
          }),
          license: Type.String({ maxLength: 40, description: 'The key of the license.' }),
          salt: Type.String({
            pattern: '^0x[0-9a-f]{64}$',
            description: 'Random: without it, nobody can tell what the leaf hides.',
          }),
        },
        {
          ...closed,
          description: 'What the leaf hides, if its maker could see that. Proven by the hash in the leaf.',
        },
      ),
    ),
    anchor: Type.Optional(AnchorProof),
  },
  { ...closed, description: 'The registration in the public log; absent when no checkpoint covered it.' },
);

const Maker = Type.Object(
  {
    madeAt: Timestamp('When the bundle was made.'),
    service: Type.String({ description: 'The address of the service.' }),
  },
  { ...closed, description: "The maker's word: nothing in here is proven." },
);

const content = {
  fingerprint: FingerprintText('SHA-256 of the exact bytes of the file. Proven by the manifest and by the chain.'),
  signedCopyOf: Type.Optional(
    FingerprintText(
      'Of a copy that the registry signed: the registered file. Proven by the manifest, which is for that file; the chain ' +
        'has the same manifest for the copy.',
    ),
  ),
  manifestId: Type.String({
    pattern: UUID,
    description: 'The id of the manifest. Proven by the manifest and by the chain.',
  }),
  manifest: Base64('The signed C2PA manifest store (JUMBF).'),
  // Open: the hash covers properties that a later version adds, too.
  metadata: Type.Optional(ArtifactMetadata),
  chain: Type.Optional(ChainProof),
};

export const BundleV3 = Type.Object(
  {
    format: Type.Literal(BUNDLE_FORMAT.format),
    version: Type.Literal(BUNDLE_FORMAT.version),
    ...content,
    log: Type.Optional(LogProof),
    maker: Maker,
  },
  { ...closed, title: 'Bundle' },
);

/**
 * A bundle as {@link makeBundle} creates it, ready for `JSON.stringify`.
 * @example
 * ```ts
 * const hasProof = ({ chain }: Bundle) => chain !== undefined;
 * ```
 */
export type Bundle = Static<typeof BundleV3>;

/** A bundle of the second version has no receipt. */
export const BundleV2 = Type.Object(
  { format: Type.Literal(BUNDLE_FORMAT.format), version: Type.Literal(2), ...content, maker: Maker },
  closed,
);

/** A bundle of the first version has no proof: only its manifest is evidence. What is not read is not checked. */
export const BundleV1 = Type.Object({
  version: Type.Literal(1),
  madeAt: Type.String(),
  service: Type.String(),
  fingerprint: FingerprintText('SHA-256 of the exact bytes.'),
  manifestId: Type.String(),
  manifest: Base64('The signed manifest.'),
  artifact: Type.Optional(Type.Object({ metadata: ArtifactMetadata })),
  chain: Type.Optional(Type.Object({ address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }) })),
});

/**
 * A bundle of version 2, from before bundles had receipts, or of version 1, from before they had proofs. Still read; never
 * created.
 * @example
 * ```ts
 * const isOld = (bundle: Bundle | OldBundle): bundle is OldBundle => bundle.version !== 3;
 * ```
 */
export type OldBundle = Static<typeof BundleV1> | Static<typeof BundleV2>;

/**
 * Checks that a parsed JSON document is a bundle.
 * @throws InvalidResponseError when it is not, or has an unsupported version.
 * @example
 * ```ts
 * const bundle = parseBundle(JSON.parse(text));
 * ```
 */
export function parseBundle(json: unknown): Bundle | OldBundle {
  const isNew = Check(BundleV3, json) || Check(BundleV2, json);
  const isBundle = (isNew && hasWholeBytes(json)) || Check(BundleV1, json);
  if (isBundle && isCanonical(json.manifest) && isInteroperable(json)) return json;
  const { version } = Check(Type.Object({ version: Type.Integer() }), json) ? json : {};
  const isUnsupported = version !== undefined && ![1, 2, BUNDLE_FORMAT.version].includes(version);
  throw new InvalidResponseError(
    isUnsupported ? `Bundles of version ${version} are not supported.` : 'This is not a bundle.',
  );
}

const blockHashForm = /^0x[0-9a-f]{64}$/i;

export function isBlockHash(text: string): boolean {
  return blockHashForm.test(text);
}

/** Each text of hexadecimal digits has two for each byte. */
function hasWholeBytes({ chain, log }: Pick<Bundle, 'chain' | 'log'>): boolean {
  const proofs = [chain, log?.anchor].flatMap((part) => part?.proof ?? []);
  return proofs.every(({ header, receipt, nodes }) =>
    [header, receipt, ...nodes].every(({ length }) => length % 2 === 0),
  );
}

/** The last character of base64 has bits that are not part of the bytes: only zeros are accepted. */
function isCanonical(base64: string): boolean {
  try {
    return btoa(atob(base64)) === base64;
  } catch {
    return false;
  }
}
