// What the document says before any script runs: to search engines, to previews of shared links, and to people whose
// browsers run none.

import {
  type Artifact,
  type ArtifactStatus,
  artifactTitle,
  describeAiPreference,
  type ErrorCode,
  errorStatus,
  formatName,
  type GalleryMark,
  isFingerprint,
  isUuid,
  RegistryError,
} from '@provenance-registry/core';
import { readArtifact } from '../../domain/artifacts.js';
import { readPublicMark } from '../../domain/marks.js';
import type { Ports } from '../../domain/ports/index.js';
import { dayOf, escapeMarkup } from './escapeHtml.js';

export interface Head {
  readonly status: number;
  /** Empty for the front page. */
  readonly title: string;
  readonly description: string;
  /** Where it is; without one, search engines are asked to leave it out. */
  readonly path?: string;
  /** The card of an Artifact: 600 by 400. */
  readonly image?: string;
  /** What is to be read without scripts, each in a paragraph. */
  readonly text: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  /** For the log, when the service cannot answer. */
  readonly cause?: unknown;
}

const NAME = 'Provenance registry';
const needsScripts = 'This page needs JavaScript, which your browser does not run here.';

const front: Head = {
  status: 200,
  title: '',
  description: 'Whose is a file, and since when? Find out without sending it to anyone.',
  path: '/',
  text: [`${needsScripts} With it, files are looked up here without leaving your machine.`],
  links: { 'Look files up without it': '/api/reference' },
};
const login: Head = { status: 200, title: 'Log in', description: front.description, text: [needsScripts] };
const dashboard: Head = { ...login, title: 'Dashboard' };

/** Those that are the same for everybody. */
export const stillHeads: Readonly<Record<string, Head>> = {
  '/': front,
  '/gallery': {
    status: 200,
    title: 'Gallery',
    description: 'The public Marks: authorship identities, and what is registered under them.',
    path: '/gallery',
    text: [needsScripts],
  },
  '/login': login,
  '/signup': { ...login, title: 'Sign up' },
  '/dashboard': dashboard,
  '/dashboard/*': dashboard,
};

export const unknownHead: Head = {
  status: 404,
  title: 'Nothing here',
  description: front.description,
  text: ['There is nothing here.'],
};

export async function artifactHead(ports: Ports, fingerprint: string): Promise<Head> {
  if (!isFingerprint(fingerprint)) return unknownHead;
  const path = `/artifacts/${fingerprint}`;
  return orRefusal(async () => describeArtifact(await readArtifact(ports, undefined, fingerprint), path), {
    NOT_FOUND: 'No file with this fingerprint is registered here.',
  });
}

export async function markHead(ports: Ports, markId: string): Promise<Head> {
  if (!isUuid(markId)) return unknownHead;
  return orRefusal(async () => describeMark(await readPublicMark(ports, markId.toLowerCase())), {
    NOT_FOUND: 'There is no such Mark.',
    FORBIDDEN: 'This Mark is private.',
  });
}

/**
 * The page can show any refusal by itself, and try again: it comes with every status. What one may not know of is no
 * refusal here, where nobody has said yet who they are: members get the same document.
 */
async function orRefusal(find: () => Promise<Head>, sentences: Partial<Record<ErrorCode, string>>): Promise<Head> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const sentence = sentences[error.code] ?? 'The service cannot answer at the moment.';
    return {
      status: error.code === 'FORBIDDEN' ? 200 : errorStatus[error.code],
      title: sentence.replace(/\.$/, ''),
      description: sentence,
      text: [sentence],
      cause: error.cause,
    };
  }
}

const statusSentences: Readonly<Record<ArtifactStatus, string>> = {
  pending: 'It waits to be written to the chain.',
  submitting: 'It is being written to the chain.',
  submitted: 'It is on the chain.',
  confirmed: 'It is on the chain.',
  failed: 'It could not be written to the chain, and counts as not registered.',
};

function describeArtifact(artifact: Artifact, path: string): Head {
  const { mark, createdBy, createdAt, license, allowAiTraining, status, c2paAssets } = artifact;
  const whose = 'name' in mark ? `the Mark ${formatName(mark.name)}` : 'a private Mark';
  const by = createdBy ? ` by ${formatName(createdBy.name)}` : '';
  const facts = [
    `Registered under ${whose}${by} since ${dayOf(createdAt)} (UTC).`,
    license && `Licence: ${license.name}.`,
    allowAiTraining !== undefined && `AI training: ${describeAiPreference(allowAiTraining)}`,
    statusSentences[status],
  ].filter((fact): fact is string => typeof fact === 'string');
  const isIndexed = 'name' in mark && status !== 'failed';
  return {
    status: 200,
    title: artifactTitle(artifact),
    description: facts.join(' '),
    ...(isIndexed && { path }),
    image: c2paAssets.signedAssetUrl,
    text: [
      ...facts,
      'That proves that whoever registered it had this very file at that time, and that nobody had registered it here ' +
        'before. It does not prove who made it.',
      `Fingerprint (SHA-256): ${artifact.fingerprint}`,
    ],
    links: {
      'Report of the manifest': c2paAssets.manifestUrl,
      'Signed manifest': c2paAssets.manifestBinaryUrl,
      'Card of the fingerprint': c2paAssets.signedAssetUrl,
      ...('name' in mark && { 'More of this Mark': `/marks/${mark.id}` }),
    },
  };
}

function describeMark({ id, name, owner, organization, license, allowAiTraining }: GalleryMark): Head {
  const whose = owner ?? organization;
  const description = [
    `What is registered under the Mark ${formatName(name)}${whose ? ` of ${formatName(whose.name)}` : ''}.`,
    `Licence: ${license.name}.`,
    `AI training: ${describeAiPreference(allowAiTraining)}`,
  ];
  return {
    status: 200,
    title: formatName(name),
    description: description.join(' '),
    path: `/marks/${id}`,
    text: [...description, needsScripts],
  };
}

/** The elements of the head, and what stands in for the page. */
export function renderHead(head: Head, baseUrl: string): { head: string; text: string } {
  const title = head.title === '' ? NAME : `${head.title} · ${NAME}`;
  const url = head.path === undefined ? undefined : `${baseUrl}${head.path}`;
  const elements = [
    `<title>${escapeMarkup(title)}</title>`,
    meta('name', 'description', head.description),
    url === undefined ? meta('name', 'robots', 'noindex') : `<link rel="canonical" href="${escapeMarkup(url)}">`,
    meta('property', 'og:site_name', NAME),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:title', head.title || NAME),
    meta('property', 'og:description', head.description),
    ...(url === undefined ? [] : [meta('property', 'og:url', url)]),
    ...(head.image === undefined ? [meta('name', 'twitter:card', 'summary')] : imageOf(head.image)),
  ];
  const paragraphs = head.text.map((text) => `<p>${escapeMarkup(text)}</p>`);
  const links = Object.entries(head.links ?? {}).map(
    ([words, to]) => `<p><a href="${escapeMarkup(to)}">${escapeMarkup(words)}</a></p>`,
  );
  const heading = `<h1>${escapeMarkup(head.title || NAME)}</h1>`;
  return { head: elements.join('\n'), text: `<main>${[heading, ...paragraphs, ...links].join('\n')}</main>` };
}

function imageOf(url: string): string[] {
  return [
    meta('property', 'og:image', url),
    meta('property', 'og:image:type', 'image/png'),
    meta('property', 'og:image:width', '600'),
    meta('property', 'og:image:height', '400'),
    meta('property', 'og:image:alt', 'The fingerprint of the file as a picture.'),
    meta('name', 'twitter:card', 'summary_large_image'),
  ];
}

function meta(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escapeMarkup(content)}">`;
}
