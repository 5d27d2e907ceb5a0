// What a registration allows: its license and AI preferences.

import type { Artifact } from '@provenance-registry/core';
import { AiPreferenceLines } from './AiPreferenceLines.js';
import { Fact } from './Fact.js';
import { ExternalLink } from './Link.js';

interface LicenseFactsProps {
  readonly license: Artifact['license'] | undefined;
  readonly aiPreferences: Artifact['aiPreferences'] | undefined;
}

export function LicenseFacts({ license, aiPreferences }: LicenseFactsProps) {
  return (
    <>
      {license && (
        <Fact name="License">
          {license.url ? <ExternalLink href={license.url}>{license.name}</ExternalLink> : license.name}
        </Fact>
      )}
      {aiPreferences && (
        <Fact name="AI preference">
          <AiPreferenceLines preferences={aiPreferences} />
        </Fact>
      )}
    </>
  );
}
