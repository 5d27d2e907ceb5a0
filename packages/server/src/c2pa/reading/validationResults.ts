// The results of a validation, as C2PA has them in ingredients and c2pa-rs in its reports.

import Type, { type Static } from 'typebox';

const Status = Type.Object({
  code: Type.String(),
  url: Type.Optional(Type.String()),
  explanation: Type.Optional(Type.String()),
});
const Statuses = Type.Object({
  success: Type.Array(Status),
  informational: Type.Array(Status),
  failure: Type.Array(Status),
});
export const ValidationResults = Type.Object({
  activeManifest: Statuses,
  ingredientDeltas: Type.Optional(
    Type.Array(Type.Object({ ingredientAssertionURI: Type.String(), validationDeltas: Statuses })),
  ),
});
export type ValidationResults = Static<typeof ValidationResults>;
