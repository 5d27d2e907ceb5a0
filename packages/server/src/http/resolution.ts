// Where strangers find out whose a file is, over HTTP.

import { api } from '@provenance-registry/core';
import type { Router } from './route.js';

export interface RegistryContract {
  readonly address: string;
  readonly abi: readonly object[];
}

export function resolutionRoutes(route: Router, { address, abi }: RegistryContract): void {
  const answer = { address, abi: [...abi] };
  route(api.getContract, () => answer);
}
