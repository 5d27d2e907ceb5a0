// Serves preview images, drawn when they are first asked for.

import { isFingerprint, limitConcurrency, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import { readArtifact } from '../../domain/artifacts/artifacts.js';
import type { Ports } from '../../domain/ports/index.js';
import { sendWithEtag } from '../responses/etag.js';
import { drawArtifactPreview, drawSitePreview, previewFacts } from './previewImage.js';

/** Not longer, because a file may become contested. */
const ARTIFACT_MAX_AGE_SECONDS = 600;
const SITE_MAX_AGE_SECONDS = 24 * 60 * 60;
/** Some 50 kB each. */
const MAX_CACHED = 200;
/** An image takes tens of milliseconds of one core: clients without an account must not take all of them. */
const MAX_WAITING = 20;

export function previewRoutes(app: FastifyInstance, ports: Ports, icon: string): void {
  const render = createRenderer();
  app.get('/preview.png', async (request, reply) => {
    const image = await render('site', () => drawSitePreview(icon));
    reply.header('cache-control', `public, max-age=${SITE_MAX_AGE_SECONDS}`);
    return sendWithEtag(request, reply, 'image/png', image);
  });
  // A named parameter would make the router reject long values.
  app.get<{ Params: { '*': string } }>('/preview/*', async (request, reply) => {
    const [, fingerprint = ''] = /^(.*)\.png$/.exec(request.params['*']) ?? [];
    const facts = isFingerprint(fingerprint) && previewFacts(await readArtifact(ports, undefined, fingerprint));
    if (!facts) throw new RegistryError('NOT_FOUND', 'Preview image not found.');
    const image = await render(JSON.stringify(facts), () => drawArtifactPreview(facts, icon));
    reply.header('cache-control', `public, max-age=${ARTIFACT_MAX_AGE_SECONDS}`);
    return sendWithEtag(request, reply, 'image/png', image);
  });
}

/** Keeps the images that were asked for last. */
function createRenderer(): (key: string, draw: () => string) => Promise<Buffer> {
  const cache = new Map<string, Buffer>();
  const busyError = () => new RegistryError('UNAVAILABLE', 'Too many preview images are being drawn right now.');
  const inTurn = limitConcurrency(1, MAX_WAITING, busyError);
  const keep = (key: string, image: Buffer) => {
    cache.delete(key);
    cache.set(key, image);
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    return image;
  };
  return async (key, draw) => {
    const cached = cache.get(key);
    if (cached) return keep(key, cached);
    return inTurn(async () => {
      // Another request may have waited for the same image.
      const { default: sharp } = await import('sharp');
      return keep(key, cache.get(key) ?? (await sharp(Buffer.from(draw())).png().toBuffer()));
    });
  };
}
