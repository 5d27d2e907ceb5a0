// What a registration allows: its license and AI preferences.

import type { Artifact } from '@provenance-registry/core';
import * as texts from '#texts/site/ui';
import { ExternalLink } from '../text/Link.js';
import { AiPreferenceLines } from './AiPreferenceLines.js';
import { Fact } from './Fact.js';

interface LicenseFactsProps {
  readonly license: Artifact['license'] | undefined;
  readonly aiPreferences: Artifact['aiPreferences'] | undefined;
}

export function LicenseFacts({ license, aiPreferences }: LicenseFactsProps) {
  return (
    <>
      {license && (
        <Fact name={texts.factNames.license}>
          {license.url ? <ExternalLink href={license.url}>{license.name}</ExternalLink> : license.name}
        </Fact>
      )}
      {aiPreferences && (
        <Fact name={texts.factNames.aiPreference}>
          <AiPreferenceLines preferences={aiPreferences} />
        </Fact>
      )}
    </>
  );
}
