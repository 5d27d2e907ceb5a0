// The result for one fingerprint, which is in the address.

import type { Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'react';
import { useRegistryClient } from '../../registryClient.js';
import { Card } from '../../ui/Card.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { announce } from '../../ui/LiveRegion.js';
import { useQuery } from '../../ui/query.js';
import { findFile } from './fileLookups.js';
import { lookUp, useLiveLookup } from './lookup.js';
import { headlineFor, ResultDetails, ResultTitle } from './ResultDetails.js';

export function FingerprintResult({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const client = useRegistryClient();
  const load = useCallback((signal: AbortSignal) => lookUp(client, fingerprint, signal), [client, fingerprint]);
  const [file] = useState(() => findFile(fingerprint));
  const [verification, setVerification] = useState<Verification>();
  const { value: loaded, error, isLoading, reload } = useQuery(load);
  const result = useLiveLookup(loaded);
  useEffect(() => {
    if (loaded) announce(headlineFor(loaded).label);
  }, [loaded]);
  if (result) {
    return (
      <Card title={<ResultTitle result={result} verification={verification} />}>
        <ResultDetails
          fingerprint={fingerprint}
          result={result}
          file={file}
          verification={verification}
          onVerified={setVerification}
        />
      </Card>
    );
  }
  return (
    <Card title={error === undefined ? 'Looking up …' : 'Could not check'}>
      <p>
        <FingerprintText fingerprint={fingerprint} />
      </p>
      <ErrorNotice error={error} onRetry={reload} isBusy={isLoading} />
    </Card>
  );
}
