// Whether the service can be reached. Apart from the client, which the front page loads on demand.

import { createStore } from './store.js';

/** Whether the service did not respond to the last request. */
export const isServiceUnreachable = createStore(false);
