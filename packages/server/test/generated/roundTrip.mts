// A session with the client that oazapfts generates from the OpenAPI document: from signing up to reading the manifest of
// an uploaded file. Compiled beside that client, `client.ts`, and run with the URL of a service.

import { createHash } from 'node:crypto';
import { ok, runtime } from '@oazapfts/runtime';
import * as api from './client.js';

api.defaults.baseUrl = process.argv[2] ?? '';

const person = { email: 'generated-client@example.com', password: 'correct horse battery', name: 'Ada' };
const { token } = await ok(api.signUp(person));
api.defaults.headers = { authorization: `Bearer ${token}` };
const mark = await ok(api.createMark({ name: 'Ada Lovelace Photography', license: 'CC-BY-4.0' }));

const fingerprint = `0x${'5e'.repeat(32)}`;
const stated = await ok(api.createArtifact({ markId: mark.id, fingerprint, filename: 'a.txt', size: 32 }));

const bytes = Buffer.from('uploaded! '.repeat(100));
const file = new Blob([bytes], { type: 'application/octet-stream' });
const uploaded = await ok(api.createManifest({ markId: mark.id, filename: 'b.bin', lastModified: '2026-06-01', file }));

let artifact = await ok(api.getArtifact(uploaded.fingerprint));
while (artifact.status === 'pending') artifact = await ok(api.getArtifact(uploaded.fingerprint, { wait: 30 }));
const { matches } = await ok(api.findByContent({ file }));

// The generated function reads every response of an operation that also has JSON responses as text.
const accept = { accept: 'application/c2pa' };
const manifest = await runtime(api.defaults).fetchBlob(`/api/c2pa/manifests/${uploaded.manifestId}`, {
  headers: accept,
});

const refused = await api.createArtifact({ markId: mark.id, fingerprint: '0x00', filename: '' });

console.log(
  JSON.stringify({
    isStated: stated.fingerprint === fingerprint && stated.mark.id === mark.id,
    isUploaded: artifact.fingerprint === `0x${createHash('sha256').update(bytes).digest('hex')}`,
    metadata: artifact.metadata,
    isFound: matches.length === 1 && matches[0]?.manifestId === uploaded.manifestId,
    manifestType: manifest.headers.get('content-type'),
    manifestStart: Buffer.from(await manifest.data.arrayBuffer()).toString('latin1', 4, 8),
    refusal:
      refused.status === 400 ? [refused.data.code, refused.data.problems?.map(({ pointer }) => pointer)] : refused,
  }),
);
