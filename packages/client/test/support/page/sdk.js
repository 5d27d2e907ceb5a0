// What the tests call in the pages.

import { createClient, makeBundle, readEmbeddedManifest, verify, verifyBundle } from '@provenance-registry/client';
import { computeCodes, hashBlob } from '@provenance-registry/client/browser';

export const sdk = { computeCodes, createClient, hashBlob, makeBundle, readEmbeddedManifest, verify, verifyBundle };
