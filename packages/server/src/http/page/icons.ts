// The icons of the site and its web app manifest. The build draws them from one SVG.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { sendWithEtag } from '../responses/etag.js';

/** Their names stay the same when they change. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

const mediaTypes: Readonly<Record<string, string>> = {
  ico: 'image/x-icon',
  png: 'image/png',
  webmanifest: 'application/manifest+json; charset=utf-8',
};

export function iconRoutes(app: FastifyInstance, folder: string): void {
  const icons = join(folder, 'icons');
  for (const name of readdirSync(icons)) {
    const content = readFileSync(join(icons, name));
    const type = mediaTypes[name.split('.').at(-1) ?? ''];
    if (type === undefined) throw new Error(`${icons} has a file of an unknown type: ${name}`);
    // At the top, where browsers look for the icons of documents that name none.
    app.get(`/${name}`, (request, reply) => {
      reply.header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`);
      return sendWithEtag(request, reply, type, content);
    });
  }
}

/** The SVG that all of them come from. */
export function readIcon(folder: string): string {
  const assets = join(folder, 'assets');
  const name = readdirSync(assets).find((file) => /^icon-.*\.svg$/.test(file));
  if (name === undefined) throw new Error(`${assets} has no icon`);
  return readFileSync(join(assets, name), 'utf8');
}
