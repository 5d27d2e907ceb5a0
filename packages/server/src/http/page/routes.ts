// The web page: its built files, and the HTML document at each of the page's paths, with a head that describes the content.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Ports } from '../../domain/ports/index.js';
import { RETRY_AFTER_SECONDS, sendUnknownRoute } from '../errors.js';
import { preferredMediaType } from '../responses/contentNegotiation.js';
import { sendWithEtag } from '../responses/etag.js';
import { preferenceHeaders } from '../responses/preferenceHeaders.js';
import { assetRoutes } from './assets.js';
import { listDocsPaths } from './docs.js';
import {
  type HtmlHead,
  listIndexedPaths,
  notFoundHead,
  readArtifactHead,
  readMarkHead,
  renderHead,
  staticHeads,
} from './htmlHead.js';
import { iconRoutes, readIcon } from './icons.js';
import { readModulePreloads } from './modulePreloads.js';
import { previewRoutes } from './previews.js';
import { sitemapRoutes } from './sitemap.js';

/** The theme's script has none, so that documents outside the built page can name it. */
const THEME_MAX_AGE_SECONDS = 3600;

/** Used by programs: unknown paths below these always get a JSON error. */
const machinePaths = /^\/(api|c2pa|cdn|assets|badge|preview|sitemap|tsa|\.well-known)(\/|\?|$)/;

/** Account pages are not for search engines. */
const accountPaths = [
  '/dashboard',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/invitation',
];
const renderRobots = (baseUrl: string) =>
  ['User-agent: *', ...accountPaths.map((path) => `Disallow: ${path}`), '', `Sitemap: ${baseUrl}/sitemap.xml`, ''].join(
    '\n',
  );

export interface PageOptions {
  /** Contains the built page. */
  readonly folder: string;
  /** Contains the generated documentation. */
  readonly docsFolder: string;
  /** Other origins that the page reads from: published files, a node of the chain. */
  readonly origins: readonly string[];
}

export function pageRoutes(
  app: FastifyInstance,
  ports: Ports,
  { folder, docsFolder, origins }: PageOptions,
  listMethods: (url: string) => string[],
): void {
  const renderDocument = createDocumentRenderer(folder, ports.baseUrl);
  const preloads = readPreloads(folder);
  const headers = {
    'content-security-policy': contentSecurityPolicy(origins),
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  };
  const send = (request: FastifyRequest, reply: FastifyReply, head: HtmlHead, preload = '') => {
    reply.code(head.status).headers(headers);
    if (head.preferences) {
      const { aiPreferences, path } = head.preferences;
      reply.headers(preferenceHeaders(aiPreferences, ports.baseUrl + path));
    }
    if (head.status === 503) {
      request.log.warn({ err: head.cause }, 'request could not be served');
      reply.header('retry-after', RETRY_AFTER_SECONDS);
    }
    return sendWithEtag(request, reply, 'text/html; charset=utf-8', renderDocument(head, preload));
  };

  for (const [path, head] of Object.entries(staticHeads)) {
    app.get(path, (request, reply) => send(request, reply, head, preloads[path]));
  }
  // A named parameter would make the router reject long values.
  app.get<{ Params: { '*': string } }>('/artifacts/*', async (request, reply) =>
    send(request, reply, await readArtifactHead(ports, request.params['*']), preloads['/artifacts']),
  );
  app.get<{ Params: { '*': string } }>('/marks/*', async (request, reply) =>
    send(request, reply, await readMarkHead(ports, request.params['*']), preloads['/marks']),
  );
  app.setNotFoundHandler((request, reply) => {
    if (!machinePaths.test(request.url)) reply.header('vary', 'accept');
    if (isForBrowser(request)) return send(request, reply, notFoundHead);
    return sendUnknownRoute(request, reply, listMethods(request.url));
  });
  const robots = renderRobots(ports.baseUrl);
  app.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(robots));
  sitemapRoutes(app, ports, [...listIndexedPaths(), ...listDocsPaths(docsFolder)]);
  previewRoutes(app, ports, readIcon(folder));
  iconRoutes(app, folder);
  // No rule for the whole site: each Artifact and Mark states its own. Without this file, TDMRep takes those for absent.
  app.get('/.well-known/tdmrep.json', (_request, reply) => reply.type('application/json; charset=utf-8').send('[]'));
  themeRoute(app, folder);
  assetRoutes(app, join(folder, 'assets'), '/assets/');
}

/** Blocks the first paint of every page until it has run, to apply the theme that the user chose. */
function themeRoute(app: FastifyInstance, folder: string): void {
  const script = readFileSync(join(folder, 'theme.js'));
  app.get('/theme.js', (request, reply) => {
    reply.header('cache-control', `public, max-age=${THEME_MAX_AGE_SECONDS}`);
    return sendWithEtag(request, reply, 'text/javascript; charset=utf-8', script);
  });
}

/** Reads the preloads of the pages that visitors open by a link. */
function readPreloads(folder: string): Readonly<Record<string, string>> {
  const read = readModulePreloads(folder);
  return {
    '/artifacts': read('src/pages/artifact/ArtifactPage.tsx'),
    '/marks': read('src/pages/mark/MarkPage.tsx'),
    '/gallery': read('src/pages/gallery/GalleryPage.tsx'),
  };
}

/** The built document has placeholders for its head and its text. */
function createDocumentRenderer(folder: string, baseUrl: string): (head: HtmlHead, preload: string) => string {
  const [start, middle, end] = readFileSync(join(folder, 'index.html'), 'utf8').split(/<!-- (?:head|text) -->/);
  if (end === undefined) throw new Error(`${folder}/index.html lacks the placeholders for head and text`);
  return (htmlHead, preload) => {
    const { head, text } = renderHead(htmlHead, baseUrl);
    return `${start}${head}${preload}${middle}${text}${end}`;
  };
}

function isForBrowser({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const type = preferredMediaType(headers.accept, ['application/json', 'text/html']);
  return isRead && type === 'text/html' && !machinePaths.test(url);
}

/** Nodes that a visitor names are not in it: the page reaches them by a worker, which has no policy. */
function contentSecurityPolicy(origins: readonly string[]): string {
  const otherOrigins = origins.map((origin) => ` ${origin}`).join('');
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "manifest-src 'self'",
    `img-src 'self' data: blob:${otherOrigins}`,
    `connect-src 'self'${otherOrigins}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
