// Every operation of the API, in the order in which the reference shows them.

import { getMe, logIn, putSubscription, putUserTier, signUp } from './accounts.js';
import { getHealth, getMetrics, getOpenApi, getReadiness } from './operating.js';
import type { Operation } from './operation.js';

export const api = {
  signUp,
  logIn,
  getMe,
  putSubscription,
  putUserTier,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
} as const satisfies Record<string, Operation>;
