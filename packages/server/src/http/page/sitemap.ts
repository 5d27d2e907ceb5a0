// Sitemaps for search engines: the pages, public Marks, and Artifacts of public Marks. Fingerprints and Mark ids are evenly
// distributed, so that the parts are ranges of their first digits: none of them has to be counted.

import { escapeHtml, limitConcurrency, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Ports } from '../../domain/ports/index.js';

const MAX_AGE_SECONDS = 60 * 60;
/** The protocol allows 50,000; the estimate of the table's size may be older than its last rows. */
const MAX_ADDRESSES = 50_000;
const PLANNED_ADDRESSES = 25_000;
/** 4,096 parts, for a hundred million addresses. */
const MAX_DIGITS = 3;
/** A part reads tens of thousands of rows. */
const MAX_RUNNING = 2;
const MAX_WAITING = 10;

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

export function sitemapRoutes(app: FastifyInstance, { store, baseUrl }: Ports, pages: readonly string[]): void {
  const busyError = () => new RegistryError('UNAVAILABLE', 'Too many sitemaps are being read right now.');
  const inTurn = limitConcurrency(MAX_RUNNING, MAX_WAITING, busyError);
  const send = (reply: FastifyReply, xml: string) =>
    reply
      .header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`)
      .type('application/xml; charset=utf-8')
      .send(xml);

  app.get('/sitemap.xml', async (_request, reply) => {
    const { artifacts, marks } = await inTurn(() => store.sitemap.estimateCounts());
    const parts = ['pages', ...listParts('marks', marks), ...listParts('artifacts', artifacts)];
    return send(
      reply,
      renderXml(
        'sitemapindex',
        'sitemap',
        baseUrl,
        parts.map((part) => `/sitemap/${part}.xml`),
      ),
    );
  });
  app.get<{ Params: { '*': string } }>('/sitemap/*', async (request, reply) => {
    const paths = await listPaths(request.params['*']);
    if (!paths) throw new RegistryError('NOT_FOUND', 'Sitemap not found.');
    return send(reply, renderXml('urlset', 'url', baseUrl, paths));
  });

  async function listPaths(name: string): Promise<readonly string[] | undefined> {
    if (name === 'pages.xml') return pages;
    const [, kind, prefix = ''] = /^(marks|artifacts)(?:-([0-9a-f]{1,3}))?\.xml$/.exec(name) ?? [];
    const query = { prefix, limit: MAX_ADDRESSES };
    if (kind === 'marks') {
      return (await inTurn(() => store.sitemap.listMarks(query))).map((id) => `/marks/${id}`);
    }
    if (kind !== 'artifacts') return undefined;
    return (await inTurn(() => store.sitemap.listArtifacts(query))).map((fingerprint) => `/artifacts/${fingerprint}`);
  }
}

/** One for each value of the first digits, so many digits that no part is too long. */
function listParts(kind: string, count: number): string[] {
  let digits = 0;
  while (digits < MAX_DIGITS && count / 16 ** digits > PLANNED_ADDRESSES) digits += 1;
  if (digits === 0) return [kind];
  return Array.from({ length: 16 ** digits }, (_, part) => `${kind}-${part.toString(16).padStart(digits, '0')}`);
}

function renderXml(root: string, element: string, baseUrl: string, paths: readonly string[]): string {
  const entries = paths.map((path) => `<${element}><loc>${escapeHtml(baseUrl + path)}</loc></${element}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n${entries.join('\n')}\n</${root}>\n`;
}
