// The interactive API reference, without resources from other sites.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Lets the browser connect to this service only. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Disables everything that the reference would load from other sites, and opens all groups. */
const referenceConfiguration = {
  url: '/api/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  defaultOpenAllTags: true,
};

const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Provenance registry: API reference</title>
</head>
<body>
<div id="app"></div>
<script src="/api/reference/scalar.js"></script>
<script src="/api/reference/start.js"></script>
</body>
</html>
`;

const startScript = `Scalar.createApiReference('#app', ${JSON.stringify(referenceConfiguration)})\n`;

const compress = promisify(gzip);

export function referenceRoutes(app: FastifyInstance): void {
  app.get('/api/reference', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(referencePage),
  );
  app.get('/api/reference/start.js', (_request, reply) => reply.type('text/javascript').send(startScript));

  let script: Promise<Buffer> | undefined;
  app.get('/api/reference/scalar.js', async (_request, reply) => {
    script ??= readScalarScript();
    return reply
      .type('text/javascript')
      .headers({ 'content-encoding': 'gzip', 'cache-control': 'public, max-age=3600' })
      .send(await script);
  });
}

/** Scalar's reference as one script. Its Fastify package is the smallest that contains it. */
async function readScalarScript(): Promise<Buffer> {
  const location = new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));
  return compress(await readFile(fileURLToPath(location)));
}
