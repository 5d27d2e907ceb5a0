// AI preferences, one line a use, with the conditions of those that are constrained.

import { type AiPreferences, aiPermissionNames, aiUseNames, aiUses } from '@provenance-registry/core';
import * as texts from '#texts/site/ui';
import * as styles from './AiPreferenceLines.module.css';
import * as factStyles from './Fact.module.css';

export function AiPreferenceLines({ preferences }: { readonly preferences: AiPreferences }) {
  if (aiUses.every((use) => preferences[use] === null)) return texts.noPreference;
  return aiUses.map((name) => {
    const { use, constraint } = preferences[name] ?? {};
    return (
      <span key={name} className={factStyles.line}>
        {texts.aiUse(aiUseNames[name], use ? lowerFirst(aiPermissionNames[use]) : texts.notSpecified)}
        {constraint !== undefined && <q className={styles.constraint}>{constraint}</q>}
      </span>
    );
  });
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
