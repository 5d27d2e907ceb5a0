// Loads the claims to an Artifact again when one arrives or changes. Loaded for the admin of its Mark, whose feed has them.

import type { Fingerprint } from '@provenance-registry/core';
import { useEffect, useRef } from 'preact/compat';
import { subscribeToEvents } from '../../eventStream.js';
import { LiveStatus } from '../dashboard/live/LiveStatus.js';

interface ClaimEventsProps {
  readonly fingerprint: Fingerprint;
  readonly onChanged: () => void;
}

export function ClaimEvents({ fingerprint, onChanged }: ClaimEventsProps) {
  const latest = useRef(onChanged);
  latest.current = onChanged;
  useEffect(
    () =>
      subscribeToEvents({
        onEvent: ({ type, data }) => {
          if (type.startsWith('claim.') && data?.['fingerprint'] === fingerprint) latest.current();
        },
        onOpen: (hasGap) => {
          if (hasGap) latest.current();
        },
      }),
    [fingerprint],
  );
  return <LiveStatus />;
}
