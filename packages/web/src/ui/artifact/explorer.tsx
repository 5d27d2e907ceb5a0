// Links to an explorer of the chain, which is another site. The operator names it.

import type { RegistryIdentity } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/site/chain';
import { useRegistryClient } from '../../registryClient.js';
import { useQuery } from '../feedback/query.js';
import { ExternalLink } from '../text/Link.js';

/** Undefined while it is loading, or cannot be read: no page depends on it. */
export function useRegistryIdentity(): RegistryIdentity | undefined {
  const client = useRegistryClient();
  const load = useCallback((signal: AbortSignal) => client.getRegistryIdentity({ signal }), [client]);
  return useQuery(load).value;
}

interface ExplorerLinkProps {
  readonly identity: RegistryIdentity | undefined;
  /** Such as `tx/0x…`. */
  readonly path: string;
}

/** Nothing without an explorer. */
export function ExplorerLink({ identity, path }: ExplorerLinkProps) {
  const explorer = identity?.explorerUrl;
  if (explorer === undefined || !URL.canParse(explorer)) return null;
  return <ExternalLink href={`${explorer}/${path}`}>{texts.viewOn(new URL(explorer).host)}</ExternalLink>;
}
