// What HTTP clients are told about AI preferences: `Content-Usage` (IETF AIPREF) and `tdm-reservation` (W3C TDMRep).

import { type AiPreferences, contentUsageOf, tdmReservationOf } from '@provenance-registry/core';

/** TDMRep's properties. Conditions are on the page at `pageUrl`, which is the policy then. */
export function tdmProperties(preferences: AiPreferences, pageUrl: string): Record<string, string> {
  const reservation = tdmReservationOf(preferences);
  return {
    ...(reservation !== undefined && { 'tdm-reservation': String(reservation) }),
    ...(preferences.data_mining?.use === 'constrained' && { 'tdm-policy': pageUrl }),
  };
}

/** Empty when nothing is stated, or may be told. */
export function preferenceHeaders(preferences: AiPreferences | undefined, pageUrl: string): Record<string, string> {
  if (!preferences) return {};
  const contentUsage = contentUsageOf(preferences);
  return {
    ...(contentUsage !== undefined && { 'content-usage': contentUsage }),
    ...tdmProperties(preferences, pageUrl),
  };
}
