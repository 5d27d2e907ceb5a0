// Three calls by the types that openapi-typescript generates, `schema.ts`: `node threeCalls.mjs URL TOKEN MARK_ID FINGERPRINT`.

import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const [baseUrl = '', token, markId = '', fingerprint = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
const body = { markId, fingerprint, filename: 'a.txt' };

const created = await client.POST('/api/v1/artifacts', { body });
console.log('created', created.data?.fingerprint);

const path = { fingerprint };
const found = await createClient<paths>({ baseUrl }).GET('/api/v1/public/artifacts/{fingerprint}', {
  params: { path },
});
console.log('found', found.data?.metadata.filename);

const refused = await client.POST('/api/v1/artifacts', { body });
console.log('refused', refused.error?.code);
