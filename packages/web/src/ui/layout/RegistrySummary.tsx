// Who this registry says that it is, and how to do without it. Read when it is opened, because few visitors need it.

import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/site/layout';
import { QueryView, useQuery } from '../feedback/query.js';
import * as styles from './RegistrySummary.module.css';

export function RegistrySummary() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.summary} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{texts.aboutRegistry}</summary>
      {isOpen && <RegistryFacts />}
    </details>
  );
}

function RegistryFacts() {
  const load = useCallback(async (signal: AbortSignal) => {
    const { readRegistryIdentity } = await import('../../registryIdentity.js');
    return readRegistryIdentity(signal);
  }, []);
  return (
    <QueryView query={useQuery(load)} what={texts.registryIdentity}>
      {(identity) => (
        <>
          <dl>
            {(['name', 'chainId', 'contract', 'fingerprint'] as const).map(
              (name) =>
                identity[name] !== undefined && (
                  <div key={name}>
                    <dt>{texts.registryFacts[name]}</dt>
                    <dd>{identity[name]}</dd>
                  </div>
                ),
            )}
          </dl>
          <h2>{texts.whatToCompare}</h2>
          <p>{texts.comparison(<code>{texts.trustCommand(identity.url)}</code>)}</p>
          <h2>{texts.withoutService}</h2>
          <ol>
            <li>{texts.computeHash}</li>
            <li>{texts.askNode(identity.chainId, identity.contract)}</li>
            <li>{texts.checkManifest}</li>
          </ol>
          <p>{texts.otherSources}</p>
        </>
      )}
    </QueryView>
  );
}
