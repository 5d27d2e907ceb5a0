// A page that uses the SDK through a bundler.

import { createClient, makeBundle, verify, verifyBundle } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';

Object.assign(window, { sdk: { createClient, hashBlob, makeBundle, verify, verifyBundle } });
