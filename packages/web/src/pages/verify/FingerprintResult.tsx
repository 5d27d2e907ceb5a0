// The result for one fingerprint, which is in the address.

import type { FileVerification, LookupQuestion } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { Card } from '../../ui/Card.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { announce } from '../../ui/LiveRegion.js';
import { useQuery } from '../../ui/query.js';
import { findFile } from './fileLookups.js';
import { lookUp, useLiveLookup } from './lookup.js';
import { headlineFor, ResultDetails, ResultTitle } from './ResultDetails.js';
import { useEmbeddedManifest } from './useEmbeddedManifest.js';

interface FingerprintResultProps {
  readonly fingerprint: Fingerprint;
  readonly lookup: LookupQuestion['kind'];
}

export function FingerprintResult({ fingerprint, lookup }: FingerprintResultProps) {
  const client = useRegistryClient();
  const load = useCallback(
    (signal: AbortSignal) => lookUp(client, fingerprint, lookup, signal),
    [client, fingerprint, lookup],
  );
  const [file] = useState(() => findFile(fingerprint));
  const [verification, setVerification] = useState<FileVerification>();
  const embedded = useEmbeddedManifest(file?.content);
  const { value: loaded, error, isLoading, reload } = useQuery(load);
  const result = useLiveLookup(loaded);
  useEffect(() => {
    if (loaded) announce(headlineFor({ result: loaded, embedded: undefined, verification: undefined, file }).label);
  }, [loaded, file]);
  if (result) {
    return (
      <Card title={<ResultTitle result={result} embedded={embedded} verification={verification} file={file} />}>
        <ResultDetails
          fingerprint={fingerprint}
          result={result}
          file={file}
          embedded={embedded}
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
