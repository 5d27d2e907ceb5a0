// The result for one fingerprint, which is in the address.

import { type LookUpOptions, lookUp } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { useQuery } from '../../ui/feedback/query.js';
import { Card } from '../../ui/layout/Card.js';
import { useFileChecks } from './fileChecks.js';
import { findFile } from './fileLookups.js';
import { headlineFor } from './headline.js';
import { collectFindings, ResultDetails, ResultTitle } from './ResultDetails.js';

interface FingerprintResultProps {
  readonly fingerprint: Fingerprint;
  readonly lookupBy: LookUpOptions['lookupBy'];
}

export function FingerprintResult({ fingerprint, lookupBy }: FingerprintResultProps) {
  const client = useRegistryClient();
  const load = useCallback(
    (signal: AbortSignal) => lookUp(client, fingerprint, { lookupBy, signal }),
    [client, fingerprint, lookupBy],
  );
  const [file] = useState(() => findFile(fingerprint));
  const { value: result, error, reload: retry } = useQuery(load);
  const checks = useFileChecks(fingerprint, file, { result, error, retry });
  const findings = collectFindings(checks);
  // The independent checks announce their result themselves.
  const { label } = headlineFor({ ...findings, verification: undefined });
  const isKnown = result !== undefined;
  useEffect(() => {
    if (isKnown) announce(label);
  }, [isKnown, label]);
  return (
    <Card title={<ResultTitle findings={findings} />}>
      <ResultDetails checks={checks} />
    </Card>
  );
}
