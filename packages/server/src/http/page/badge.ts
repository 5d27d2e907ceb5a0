// A badge for other sites that shows whether and by whom a file is registered, and the script that inserts it with a link.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Artifact,
  describeIdentityAtRegistration,
  escapeHtml,
  findEarlierName,
  formatDay,
  formatName,
  isFingerprint,
  listMarkFacts,
  RegistryError,
} from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import { readArtifact } from '../../domain/artifacts/artifacts.js';
import type { Ports } from '../../domain/ports/index.js';
import { sendWithEtag } from '../responses/etag.js';

/** Not longer, because a file may become contested, and its Mark may lose a domain, be renamed or become private. */
const BADGE_MAX_AGE_SECONDS = 60;
const SCRIPT_MAX_AGE_SECONDS = 3600;
/** Fits a column of text on a phone. */
const MAX_NAME_CHARACTERS = 28;
const SITE_NAME = 'Provenance registry';

/** Lets pages of every origin load the badge, also under a cross-origin embedder policy. */
const crossOriginHeaders = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

export function badgeRoutes(app: FastifyInstance, ports: Ports, folder: string): void {
  const script = readFileSync(join(folder, 'badge.js'));
  app.get('/badge.js', (request, reply) => {
    reply.headers({ ...crossOriginHeaders, 'cache-control': `public, max-age=${SCRIPT_MAX_AGE_SECONDS}` });
    return sendWithEtag(request, reply, 'text/javascript; charset=utf-8', script);
  });

  app.get<{ Params: { '*': string } }>('/badge/*', async (request, reply) => {
    const [, fingerprint = ''] = /^(.*)\.svg$/.exec(request.params['*']) ?? [];
    if (!isFingerprint(fingerprint)) throw new RegistryError('NOT_FOUND', 'Badge not found.');
    const badge = describeArtifact(await findArtifact(ports, fingerprint));
    reply.headers({
      ...crossOriginHeaders,
      'content-security-policy': "default-src 'none'",
      'cache-control': `public, max-age=${BADGE_MAX_AGE_SECONDS}`,
    });
    return sendWithEtag(request, reply, 'image/svg+xml; charset=utf-8', drawBadge(badge));
  });
}

async function findArtifact(ports: Ports, fingerprint: `0x${string}`): Promise<Artifact | undefined> {
  try {
    return await readArtifact(ports, undefined, fingerprint);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

interface Badge {
  readonly icon: keyof typeof icons;
  readonly title: string;
  readonly line: string;
}

const icons = {
  // Not green: nothing in a badge is more than the word of the registry.
  check: { color: '#4a5660', path: 'M12 21l5.5 5.5L29 15' },
  info: { color: '#4a5660', path: 'M20 19v9m0-15.5v.1' },
  clock: { color: '#4a5660', path: 'M20 13v7.5l5 3' },
  question: { color: '#7a5200', path: 'M15 16c.3-6 10-5.5 10 0 0 3.5-5 3.5-5 7m0 4.5v.1' },
} as const;

/** A failed Artifact does not hold its fingerprint, so the file is not registered. */
function describeArtifact(artifact: Artifact | undefined): Badge {
  if (!artifact || artifact.status === 'failed') {
    return { icon: 'question', title: 'Not registered here', line: SITE_NAME };
  }
  const { status, createdAt, claims, verifiedDomains } = artifact;
  const { whose, facts } = describeMark(artifact);
  if (status === 'pending' || status === 'submitting') {
    const line = ['Waiting for the blockchain', ...facts].join(' · ');
    return { icon: 'clock', title: `Being registered ${whose}`, line };
  }
  const title = `${whose} on ${formatDay(createdAt)}`;
  const line = facts.length > 0 ? facts.join(' · ') : SITE_NAME;
  if (claims.contested) return { icon: 'question', title: `Contested: registered ${title}`, line };
  // A check mark beside a name would look like a verified identity.
  return { icon: verifiedDomains.length > 0 ? 'check' : 'info', title: `Registered ${title}`, line };
}

/** The Mark by its name at registration, and what tells it from others with a similar name. */
function describeMark(artifact: Artifact): { whose: string; facts: string[] } {
  const { mark } = artifact;
  if (!('name' in mark)) return { whose: 'under a private Mark', facts: [] };
  const shorten = (name: string) => formatName(name, MAX_NAME_CHARACTERS);
  const earlier = findEarlierName(artifact);
  const [, ...facts] = listMarkFacts(mark, formatDay);
  return {
    whose: `by ${shorten(earlier ?? mark.name)}`,
    facts: [
      ...(earlier === undefined ? [] : [`Now called ${shorten(mark.name)}`]),
      describeIdentityAtRegistration(artifact),
      ...facts,
    ],
  };
}

const HEIGHT = 40;
const TEXT_LEFT = 42;
const MARGIN = 14;
const TITLE_SIZE = 13;
const LINE_SIZE = 11;

/** Draws on a background of its own, readable on light and dark pages; without styles, which a policy may forbid. */
function drawBadge({ icon, title, line }: Badge): string {
  const { color, path } = icons[icon];
  const titleWidth = estimateWidth(title) * TITLE_SIZE;
  const lineWidth = estimateWidth(line) * LINE_SIZE;
  const width = Math.ceil(TEXT_LEFT + Math.max(titleWidth, lineWidth) + MARGIN);
  const label = escapeHtml(`${title}, ${line}`);
  // An inner image clips what is in it: tall names stay in their line.
  const text = (content: string, y: number, size: number, length: number, attributes: string) =>
    `<svg y="${y - size - 1}" width="${width}" height="${size + 5}"><text x="${TEXT_LEFT}" y="${size + 1}" ` +
    `font-size="${size}" textLength="${Math.round(length)}" lengthAdjust="spacingAndGlyphs" ${attributes}>` +
    `${escapeHtml(content)}</text></svg>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${label}">
<title>${label}</title>
<rect x=".5" y=".5" width="${width - 1}" height="${HEIGHT - 1}" rx="8" fill="#fff" stroke="#c4c9cc"/>
<circle cx="20" cy="20" r="12" fill="${color}"/>
<path d="${path}" transform="translate(8 8) scale(.6)" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/>
<g font-family="system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif" fill="#1d2327">
${text(title, 17, TITLE_SIZE, titleWidth, 'font-weight="600"')}
${text(line, 32, LINE_SIZE, lineWidth, 'fill="#56616a"')}
</g>
</svg>
`;
}

const narrowCharacter = /[\s.,:;!'|iljtfr()[\]·]/u;
const wideCharacter =
  /[mwMW@%\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u;
const zeroWidthCharacter = /[\p{M}\p{Cf}]/u;

/** Estimated width in ems; `textLength` makes the browser keep to it. */
function estimateWidth(text: string): number {
  let ems = 0;
  for (const character of text) {
    if (zeroWidthCharacter.test(character)) continue;
    if (narrowCharacter.test(character)) ems += 0.34;
    else if (wideCharacter.test(character)) ems += 0.98;
    else ems += /\p{Lu}/u.test(character) ? 0.7 : 0.58;
  }
  return ems;
}
