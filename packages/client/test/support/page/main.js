// A page that uses the SDK through Vite.

import { createSdk } from './sdk.js';

Object.assign(window, { sdk: createSdk() });
