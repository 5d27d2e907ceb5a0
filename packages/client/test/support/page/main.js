// A page that uses the SDK through Vite.

import { sdk } from './sdk.js';

Object.assign(window, { sdk });
