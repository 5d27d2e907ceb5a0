// A picture for other people's pages that says whether a file is registered, and whose it is; and the script that puts
// it there with a link.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Artifact, formatName, isFingerprint, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import { readArtifact } from '../../domain/artifacts.js';
import type { Ports } from '../../domain/ports/index.js';
import { sendTagged } from '../etag.js';
import { dayOf, escapeMarkup } from './escapeHtml.js';

/** What is registered stays so; a Mark may change its name or become private. */
const SETTLED_SECONDS = 300;
const UNSETTLED_SECONDS = 60;
const SCRIPT_SECONDS = 3600;
/** As wide as a column of text on a phone. */
const NAME_CHARACTERS = 28;

/** For pages of every origin, also those that let in only what says so itself. */
const openToAll = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

export function badgeRoutes(app: FastifyInstance, ports: Ports, folder: string): void {
  const script = readFileSync(join(folder, 'badge.js'));
  app.get('/badge.js', (request, reply) => {
    reply.headers({ ...openToAll, 'cache-control': `public, max-age=${SCRIPT_SECONDS}` });
    return sendTagged(request, reply, 'text/javascript; charset=utf-8', script);
  });

  app.get<{ Params: { '*': string } }>('/badge/*', async (request, reply) => {
    const [, fingerprint = ''] = /^(.*)\.svg$/.exec(request.params['*']) ?? [];
    if (!isFingerprint(fingerprint)) throw new RegistryError('NOT_FOUND', 'There is no such badge.');
    const badge = describe(await find(ports, fingerprint));
    const seconds = badge.sign === 'check' ? SETTLED_SECONDS : UNSETTLED_SECONDS;
    reply.headers({
      ...openToAll,
      'content-security-policy': "default-src 'none'",
      'cache-control': `public, max-age=${seconds}`,
    });
    return sendTagged(request, reply, 'image/svg+xml; charset=utf-8', draw(badge));
  });
}

async function find(ports: Ports, fingerprint: `0x${string}`): Promise<Artifact | undefined> {
  try {
    return await readArtifact(ports, undefined, fingerprint);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

interface Badge {
  readonly sign: keyof typeof signs;
  readonly title: string;
  readonly line: string;
}

const signs = {
  check: { colour: '#1b6b45', path: 'M12 21l5.5 5.5L29 15' },
  clock: { colour: '#4a5660', path: 'M20 13v7.5l5 3' },
  question: { colour: '#7a5200', path: 'M15 16c.3-6 10-5.5 10 0 0 3.5-5 3.5-5 7m0 4.5v.1' },
} as const;

/** What failed to reach the chain does not hold its fingerprint: it is not registered. */
function describe(artifact: Artifact | undefined): Badge {
  if (!artifact || artifact.status === 'failed') {
    return { sign: 'question', title: 'Not registered here', line: 'Provenance registry' };
  }
  const { mark, status, createdAt } = artifact;
  const whose = 'name' in mark ? `by ${formatName(mark.name, NAME_CHARACTERS)}` : 'under a private Mark';
  if (status === 'pending' || status === 'submitting') {
    return { sign: 'clock', title: `Being registered ${whose}`, line: 'On its way to the chain' };
  }
  return { sign: 'check', title: `Registered ${whose}`, line: `since ${dayOf(createdAt)} · Provenance registry` };
}

const HEIGHT = 40;
const TEXT_LEFT = 42;
const MARGIN = 14;
const TITLE_SIZE = 13;
const LINE_SIZE = 11;

/** With a ground of its own: to be read on light pages and on dark ones. No style, which policies may forbid. */
function draw({ sign, title, line }: Badge): string {
  const { colour, path } = signs[sign];
  const titleWidth = widthOf(title) * TITLE_SIZE;
  const lineWidth = widthOf(line) * LINE_SIZE;
  const width = Math.ceil(TEXT_LEFT + Math.max(titleWidth, lineWidth) + MARGIN);
  const label = escapeMarkup(`${title}, ${line}`);
  const text = (words: string, y: number, size: number, length: number, more: string) =>
    `<text x="${TEXT_LEFT}" y="${y}" font-size="${size}" textLength="${Math.round(length)}" ` +
    `lengthAdjust="spacingAndGlyphs" ${more}>${escapeMarkup(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${label}">
<title>${label}</title>
<rect x=".5" y=".5" width="${width - 1}" height="${HEIGHT - 1}" rx="8" fill="#fff" stroke="#c4c9cc"/>
<circle cx="20" cy="20" r="12" fill="${colour}"/>
<path d="${path}" transform="translate(8 8) scale(.6)" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/>
<g font-family="system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif" fill="#1d2327">
${text(title, 17, TITLE_SIZE, titleWidth, 'font-weight="600"')}
${text(line, 32, LINE_SIZE, lineWidth, 'fill="#56616a"')}
</g>
</svg>
`;
}

const narrow = /[\s.,:;!'|iljtfr()[\]·]/u;
const wide = /[mwMW@%\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u;
const weightless = /[\p{M}\p{Cf}]/u;

/** About as many ems as fonts give these characters; `textLength` makes it true. */
function widthOf(text: string): number {
  let ems = 0;
  for (const character of text) {
    if (weightless.test(character)) continue;
    if (narrow.test(character)) ems += 0.34;
    else if (wide.test(character)) ems += 0.98;
    else ems += /\p{Lu}/u.test(character) ? 0.7 : 0.58;
  }
  return ems;
}
