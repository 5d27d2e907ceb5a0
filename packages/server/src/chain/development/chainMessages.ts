// What the service and the process of the development chain tell each other.

import Type, { type Static } from 'typebox';

const AddressText = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }));

export const ChainCommand = Type.Union([
  Type.Object({
    kind: Type.Literal('start'),
    folder: Type.String(),
    port: Type.Integer(),
    funded: Type.Array(AddressText),
    confirmations: Type.Integer(),
    origin: Type.Optional(Type.String()),
    token: Type.String(),
  }),
  Type.Object({ kind: Type.Literal('close') }),
]);
export type ChainCommand = Static<typeof ChainCommand>;

export const ChainMessage = Type.Union([
  Type.Object({ kind: Type.Literal('started'), url: Type.String() }),
  Type.Object({ kind: Type.Literal('failed'), message: Type.String(), code: Type.Optional(Type.String()) }),
  /** The chain goes on, but accepts no transactions for now. */
  Type.Object({ kind: Type.Literal('fault'), message: Type.String() }),
]);
export type ChainMessage = Static<typeof ChainMessage>;
