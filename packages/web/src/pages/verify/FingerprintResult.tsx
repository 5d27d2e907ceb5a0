// The result for one fingerprint, which is in the address.

import type { LookupQuestion } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { Card } from '../../ui/Card.js';
import { announce } from '../../ui/LiveRegion.js';
import { useQuery } from '../../ui/query.js';
import { useFileChecks } from './fileChecks.js';
import { findFile } from './fileLookups.js';
import { headlineFor } from './headline.js';
import { lookUp } from './lookup.js';
import { collectFindings, ResultDetails, ResultTitle } from './ResultDetails.js';

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
