// AI preferences as leaves have them: a number for each use, in the order of `aiUses`.

import { type AiPermission, type AiPreferences, aiPermissions, aiUses } from '@provenance-registry/core';

const NOT_SPECIFIED = 0;
const aiCodes: Readonly<Record<AiPermission, number>> = { allowed: 1, notAllowed: 2, constrained: 3 };

/** The member `ai`: a number for each use. The conditions of a constrained one are a text, and stay outside. */
export function encodeAiPreferences(preferences: AiPreferences): number[] {
  return aiUses.map((use) => {
    const preference = preferences[use];
    return preference ? aiCodes[preference.use] : NOT_SPECIFIED;
  });
}

/** Undefined for a use that is not specified. */
export function decodeAiCode(code: number): AiPermission | undefined {
  return aiPermissions.find((permission) => aiCodes[permission] === code);
}
