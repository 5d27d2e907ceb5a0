// What the public log says about a registration: its state, its receipt, and what a leaf hides.

import Type, { type Static } from 'typebox';
import { StringEnum } from '../../text/text.js';
import { Timestamp, Uuid } from '../operation.js';

const LogIndex = Type.Integer({ minimum: 0, description: 'The place of the leaf in the log, from 0.' });

export const LogOpening = Type.Object(
  {
    mark: Uuid('The Mark.'),
    ai: Type.Array(Type.Integer({ minimum: 0, maximum: 3 }), {
      minItems: 4,
      maxItems: 4,
      description: 'AI preferences as a number for each use; 0: not specified.',
    }),
    license: Type.String({ description: 'The key of the license.' }),
    salt: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: '32 random bytes.' }),
  },
  {
    title: 'LogOpening',
    description:
      'What the `hidden` of the leaf of a file under a private Mark stands for. Only for readers of the Mark.',
  },
);
/**
 * What the leaf of a file under a private Mark hides.
 * @example
 * ```ts
 * const markOf = ({ mark }: LogOpening) => mark;
 * ```
 */
export type LogOpening = Static<typeof LogOpening>;

export const PublishedAnchor = Type.Object(
  {
    chainId: Type.Integer({ description: 'The id of the chain.' }),
    address: Type.String({ pattern: '^0x[0-9a-f]{40}$', description: 'The contract that keeps the anchors.' }),
    size: Type.Integer({ minimum: 1, description: 'The number of leaves of the tree that was anchored.' }),
    transactionHash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
    blockNumber: Type.Integer({ minimum: 0 }),
    blockHash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
    blockTime: Timestamp('The time of the block.'),
  },
  {
    title: 'PublishedAnchor',
    description:
      'An anchor of the public log on chain, as the service knows it: its event `Anchored` says whether it is true.',
  },
);
/**
 * Where the public log is anchored on chain, according to the service.
 * @example
 * ```ts
 * const { blockNumber, size }: PublishedAnchor = await client.getLastAnchor();
 * ```
 */
export type PublishedAnchor = Static<typeof PublishedAnchor>;

const receiptFields = {
  receipt: Type.String({
    description:
      'The proof that the leaf is in the log, with the signed checkpoint: a text of `c2sp.org/tlog-proof@v1`.',
  }),
  leaf: Type.String({ description: 'The leaf, byte for byte as it is hashed: a line with its kind, and JSON.' }),
  opening: Type.Optional(LogOpening),
  witnessed: Type.Optional(
    Type.Boolean({
      description:
        'Whether as many witnesses signed the checkpoint as the registry demands of itself; absent if it has none. The signatures in ' +
        '`receipt` say which: rely on those.',
    }),
  ),
};

export const LogReceipt = Type.Object(
  {
    ...receiptFields,
    anchor: Type.Optional(PublishedAnchor),
  },
  { title: 'LogReceipt', description: '`anchor`: the first one that covers the leaf; absent while there is none.' },
);
/**
 * The proof that a registration is in the public log.
 * @example
 * ```ts
 * const { leaf, receipt }: LogReceipt = await client.getPublicReceipt({ fingerprint });
 * ```
 */
export type LogReceipt = Static<typeof LogReceipt>;

export const LogState = Type.Object(
  {
    status: StringEnum(['pending', 'included'], {
      description: '`included`: a signed checkpoint of the public log covers the registration.',
    }),
    index: Type.Optional(LogIndex),
    ...Type.Partial(Type.Object(receiptFields)).properties,
  },
  {
    title: 'LogState',
    description:
      'Only in the response to a registration. With `Prefer: wait=N` and status `included`, it has the index and the receipt.',
  },
);

/**
 * What the public log says about a registration.
 * @example
 * ```ts
 * const isLogged = ({ status }: LogState) => status === 'included';
 * ```
 */
export type LogState = Static<typeof LogState>;

/** The longest wait of a registration for its receipt, in seconds: the checkpoint follows within one. */
export const MAX_RECEIPT_WAIT_SECONDS = 10;

export const PreferHeaders = Type.Object({
  prefer: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        `\`wait=N\`: respond when the receipt of the public log is ready, or after N seconds, at most ${MAX_RECEIPT_WAIT_SECONDS}. ` +
        'Other preferences are ignored (RFC 7240).',
    }),
  ),
});

export const exampleAnchor: PublishedAnchor = {
  chainId: 31_337,
  address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
  size: 7,
  transactionHash: `0x${'5e'.repeat(32)}`,
  blockNumber: 21,
  blockHash: `0x${'7c'.repeat(32)}`,
  blockTime: '2026-11-17T12:01:00.000Z',
};

export const exampleReceipt: LogReceipt = {
  receipt: `c2sp.org/tlog-proof@v1
index 5
n8EYJ4JMOFOGtMztbLfkfX2MahpnfVgPiIqQAHUh2EY=
3XtaeKcO85ATBOrcaxDdK9PrQEaDZv+B1dacTllJrwE=
P/Mje2SbmH1r9VeP7rdAw5nnUuo5VnkelbVDCDxHXBs=

registry.example/log
7
mc4+Pl4+MQKv8BoomHggZB8QFNMvmGQhFFoAv2p9k7k=

— registry.example/log kpQHEnAaqSYAM4/WZE3AnZxnXo4yIMUE2gWwVmecPyxXwlJkNmUejb2pxEo95Hr5MKpCFxFfLtDj74l86K38AniG6QE=
`,
  leaf: `provenance-leaf/1 artifact
{"ai":[1,1,2,2],"fingerprint":"0x45025d51902415eee98d6a946703a310b335f7b34bb19cf5c9f69de8eedc0104","id":"d8fb3b5f-55a1-4852-8b59-2c20fc9140d1","license":"CC-BY-4.0","manifest":"0x1ed1b4fa35fae53257aea44741151f2591bb3a7580b1c2ade16bcc46b286dd9c","mark":"a14085f5-6c7c-462f-89c6-ae168dcd55ca","metadata":"0xc6e1858ffa65ba0c96c0552fff3b48c04f5ce58737e4679a240fc619047273da","time":"2026-11-17T12:00:00.035Z"}`,
  anchor: exampleAnchor,
};
