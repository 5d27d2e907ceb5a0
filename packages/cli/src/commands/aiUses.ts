// `--ai-use USE=PREFERENCE`: the AI preferences of a Mark, use by use.

import type { AiPreference, AiUse, SomeAiPreferences } from '@provenance-registry/core';
import { UsageError } from '../errors.js';

export const aiUseOption = {
  label: 'USE=PREFERENCE',
  summary: 'allowed, notAllowed, constrained:CONDITIONS or unspecified for data_mining, ai_inference, ai_training, …',
  many: true,
} as const;

/** Undefined without any. */
export async function parseAiUses(values: readonly string[]): Promise<SomeAiPreferences | undefined> {
  if (values.length === 0) return undefined;
  const { aiUses } = await import('@provenance-registry/core');
  const preferences = values.map((value): [AiUse, AiPreference | null] => {
    const [name, preference] = splitOnce(value, '=');
    const use = aiUses.find((one) => one === name);
    if (use === undefined) throw usageError(value, `the use must be one of ${aiUses.join(', ')}`);
    return [use, parsePreference(value, preference)];
  });
  const repeated = preferences.find(([use], index) => preferences.findIndex(([one]) => one === use) < index);
  if (repeated) throw new UsageError(`--ai-use has two preferences for ${repeated[0]}.`);
  return Object.fromEntries(preferences);
}

function parsePreference(value: string, preference: string | undefined): AiPreference | null {
  const [use, constraint] = splitOnce(preference ?? '', ':');
  if (use === 'constrained' && constraint) return { use, constraint };
  if (constraint === undefined && (use === 'allowed' || use === 'notAllowed')) return { use };
  if (constraint === undefined && use === 'unspecified') return null;
  throw usageError(value, 'the preference must be allowed, notAllowed, constrained:CONDITIONS or unspecified');
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function usageError(value: string, problem: string): UsageError {
  return new UsageError(`--ai-use '${value}': ${problem}.`);
}
