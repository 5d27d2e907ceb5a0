// A registry as the user has confirmed it.

import { formatName, shortFingerprint } from '@provenance-registry/core';
import { Fact } from '@provenance-registry/web/ui/facts/Fact.js';
import * as factStyles from '@provenance-registry/web/ui/facts/Fact.module.css';
import type { RegistryPin } from './registryPin.js';
import * as texts from './texts/en.js';

export function RegistryFacts({ pin: { name, baseUrl, fingerprint } }: { readonly pin: RegistryPin }) {
  return (
    <dl className={factStyles.facts}>
      <Fact name={texts.registry}>{formatName(name)}</Fact>
      <Fact name={texts.address}>{baseUrl}</Fact>
      <Fact name={texts.fingerprint}>
        <code>{shortFingerprint(fingerprint)}</code>
      </Fact>
    </dl>
  );
}
