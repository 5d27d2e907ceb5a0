// One fingerprint, looked up: the address has it, so that a reload and the back button keep it.

import type { Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'react';
import { useService } from '../../registryClient.js';
import { Card } from '../../ui/Card.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { announce } from '../../ui/LiveRegion.js';
import { Failure, useLoaded } from '../../ui/QueryView.js';
import { fileWith } from './fileLookups.js';
import { headlineOf } from './headline.js';
import { Answer, AnswerTitle } from './LookupResult.js';
import { lookUp, useFollowedFinding } from './lookup.js';

export function OneFile({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const service = useService();
  const load = useCallback((signal: AbortSignal) => lookUp(service, fingerprint, signal), [service, fingerprint]);
  const [found, setFound] = useState<Verification>();
  const { value: finding, error, isLoading, reload } = useLoaded(load);
  const followed = useFollowedFinding(finding);
  useEffect(() => {
    if (finding) announce(headlineOf(finding).text);
  }, [finding]);
  if (finding) {
    return (
      <Card title={<AnswerTitle finding={followed ?? finding} found={found} />}>
        <Answer
          fingerprint={fingerprint}
          finding={followed ?? finding}
          file={fileWith(fingerprint)}
          found={found}
          onChecked={setFound}
        />
      </Card>
    );
  }
  return (
    <Card title={error === undefined ? 'Looking it up …' : 'Not found out'}>
      <p>
        <FingerprintText fingerprint={fingerprint} />
      </p>
      {error !== undefined && <Failure error={error} onRetry={reload} isBusy={isLoading} />}
    </Card>
  );
}
