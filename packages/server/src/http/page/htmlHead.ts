// The head and text of the HTML document before any script runs: for search engines, link previews and browsers without
// JavaScript.

import {
  type AiPreferences,
  type Artifact,
  type ArtifactStatus,
  artifactTitle,
  describeAiPreferences,
  describeAuthorship,
  describeClaims,
  describeIdentity,
  describeIdentityAtRegistration,
  describeNameChange,
  describeNamesakes,
  describePossession,
  describeRepresentative,
  type ErrorCode,
  errorStatus,
  escapeHtml,
  formatDay,
  formatName,
  type GalleryMark,
  isFingerprint,
  isUuid,
  listAiConstraints,
  listMarkFacts,
  markTitle,
  RegistryError,
} from '@provenance-registry/core';
import { readArtifact } from '../../domain/artifacts/artifacts.js';
import { readPublicMark } from '../../domain/marks/marks.js';
import type { Ports } from '../../domain/ports/index.js';
import { tdmProperties } from '../responses/preferenceHeaders.js';

export interface HtmlHead {
  readonly status: number;
  /** Empty for the front page. */
  readonly title: string;
  readonly description: string;
  /** Canonical path; without one, search engines are asked not to index the page. */
  readonly path?: string | undefined;
  /** Path of the preview image, with what it shows. */
  readonly image?: { readonly path: string; readonly alt: string };
  /** Paragraphs shown without JavaScript. */
  readonly text: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  /** Data of the Artifact or Mark that the page shows, with the path of the page. */
  readonly preferences?: { readonly aiPreferences: AiPreferences; readonly path: string };
  /** What is logged when the service is unavailable. */
  readonly cause?: unknown;
}

const SITE_NAME = 'Provenance registry';
const javaScriptNotice = 'This page needs JavaScript, which is not enabled in your browser.';

const sitePreview = { path: '/preview.png', alt: SITE_NAME };

const frontPage: HtmlHead = {
  status: 200,
  title: '',
  description:
    'Put your name and a provable date on a file, or find out who registered it, without uploading it. Anyone can check it.',
  path: '/',
  image: sitePreview,
  text: [`${javaScriptNotice} With it, you can look up files here without uploading them.`],
  links: { 'Look up files without JavaScript': '/api/reference' },
};
const describePage = (title: string, description: string, path?: string): HtmlHead => ({
  ...frontPage,
  title,
  description,
  path,
  text: [description, javaScriptNotice],
  links: {},
});
const login: HtmlHead = { status: 200, title: 'Log in', description: frontPage.description, text: [javaScriptNotice] };
const dashboard: HtmlHead = { ...login, title: 'Dashboard' };

/** Heads of paths whose head never changes. */
export const staticHeads: Readonly<Record<string, HtmlHead>> = {
  '/': frontPage,
  '/gallery': describePage(
    'Gallery',
    'Public Marks: authorship identities and the files registered under them.',
    '/gallery',
  ),
  '/how-it-works': describePage(
    'How it works',
    'How a file is registered and verified here: fingerprint, signed manifest, entry on a blockchain.',
    '/how-it-works',
  ),
  '/faq': describePage(
    'Questions and answers',
    'What a registration proves and what it does not, what is sent, and what others see.',
    '/faq',
  ),
  '/contract': {
    ...describePage(
      'Contract',
      'The smart contract of this registry: its address, its chain, who may write to it, and how to read it yourself.',
      '/contract',
    ),
    links: { 'Address and ABI as JSON': '/c2pa/contract' },
  },
  '/log': {
    ...describePage(
      'Public log',
      'The append-only log of this registry: its size, its newest leaves, its signed checkpoint, and how to check it yourself.',
      '/log',
    ),
    links: { Checkpoint: '/log/checkpoint' },
  },
  // Its content is in the address, which its maker shares: not for search engines.
  '/contact-sheet': describePage('Contact sheet', 'Registered files, with links to their records.'),
  '/login': login,
  '/signup': { ...login, title: 'Sign up' },
  '/forgot-password': { ...login, title: 'Forgot password' },
  '/reset-password': { ...login, title: 'Reset password' },
  '/verify-email': { ...login, title: 'Verify email address' },
  '/invitation': { ...login, title: 'Invitation' },
  '/dashboard': dashboard,
  '/dashboard/*': dashboard,
};

/** Lists the static pages that search engines may index. */
export function listIndexedPaths(): string[] {
  return Object.values(staticHeads).flatMap(({ path }) => (path === undefined ? [] : [path]));
}

export const notFoundHead: HtmlHead = {
  status: 404,
  title: 'Page not found',
  description: frontPage.description,
  text: ['This page does not exist.'],
};

export async function readArtifactHead(ports: Ports, fingerprint: string): Promise<HtmlHead> {
  if (!isFingerprint(fingerprint)) return notFoundHead;
  const path = `/artifacts/${fingerprint}`;
  return orErrorHead(async () => describeArtifact(await readArtifact(ports, undefined, fingerprint), path), {
    NOT_FOUND: 'No file with this fingerprint is registered here.',
  });
}

export async function readMarkHead(ports: Ports, markId: string): Promise<HtmlHead> {
  if (!isUuid(markId)) return notFoundHead;
  return orErrorHead(async () => describeMark(await readPublicMark(ports, markId.toLowerCase())), {
    NOT_FOUND: 'Mark not found.',
    FORBIDDEN: 'This Mark is private.',
  });
}

/**
 * The page shows errors itself and can try again, so the document comes with every status. FORBIDDEN is not an error here:
 * the document is requested without credentials, also by members.
 */
async function orErrorHead(
  read: () => Promise<HtmlHead>,
  messages: Partial<Record<ErrorCode, string>>,
): Promise<HtmlHead> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const message = messages[error.code] ?? 'The service is temporarily unavailable.';
    return {
      status: error.code === 'FORBIDDEN' ? 200 : errorStatus[error.code],
      title: message.replace(/\.$/, ''),
      description: message,
      text: [message],
      cause: error.cause,
    };
  }
}

const statusTexts: Readonly<Record<ArtifactStatus, string>> = {
  pending: 'It is waiting to be written to the blockchain.',
  submitting: 'It is being written to the blockchain.',
  submitted: 'It is recorded on the blockchain.',
  confirmed: 'It is recorded on the blockchain.',
  failed: 'It could not be written to the blockchain and counts as not registered.',
};

function describeArtifact(artifact: Artifact, path: string): HtmlHead {
  const { mark, createdBy, createdAt, license, aiPreferences, status, c2paAssets, metadata } = artifact;
  const isOpen = 'name' in mark;
  const whose = isOpen ? `the Mark ${formatName(metadata.mark?.name ?? mark.name)}` : 'a private Mark';
  const by = createdBy ? ` by ${formatName(createdBy.name)}` : '';
  const facts = compact([
    describeClaims(artifact.claims),
    `Registered under ${whose}${by} since ${formatDay(createdAt)} (UTC).`,
    describeNameChange(artifact),
    isOpen && `${describeIdentityAtRegistration(artifact)}.`,
    ...(isOpen ? listMarkSentences(mark) : []),
    license && `License: ${license.name}.`,
    aiPreferences && `AI preferences: ${describeAiPreferences(aiPreferences)}`,
    statusTexts[status],
  ]);
  const isIndexed = isOpen && status !== 'failed';
  return {
    status: 200,
    title: artifactTitle(artifact),
    description: facts.join(' '),
    ...(isIndexed && { path }),
    ...(aiPreferences && status !== 'failed' && { preferences: { aiPreferences, path } }),
    ...(status !== 'failed' && {
      image: {
        path: `/preview/${artifact.fingerprint}.png`,
        alt: `Randomart of the fingerprint ${artifact.fingerprint}`,
      },
    }),
    text: [
      ...facts,
      ...(aiPreferences ? listAiConstraints(aiPreferences) : []),
      describePossession(artifact),
      describeAuthorship(artifact),
      'According to this service, the file had not been registered here before. This does not prove who created it.',
      `Fingerprint (SHA-256): ${artifact.fingerprint}`,
    ],
    links: {
      'Manifest report': c2paAssets.manifestUrl,
      'Signed manifest': c2paAssets.manifestBinaryUrl,
      'Fingerprint card': c2paAssets.signedAssetUrl,
      ...(isOpen && { 'More from this Mark': `/marks/${mark.id}` }),
    },
  };
}

function describeMark(mark: GalleryMark): HtmlHead {
  const { id, name, owner, organization, license, aiPreferences } = mark;
  const path = `/marks/${id}`;
  const whose = owner ?? organization;
  const description = [
    `Files registered under the Mark ${formatName(name)}${whose ? ` of ${formatName(whose.name)}` : ''}.`,
    `${describeIdentity(mark)}.`,
    ...listMarkSentences(mark),
    `License: ${license.name}.`,
    `AI preferences: ${describeAiPreferences(aiPreferences)}`,
  ];
  return {
    status: 200,
    title: markTitle(mark),
    description: description.join(' '),
    path,
    preferences: { aiPreferences, path },
    text: [...description, ...listAiConstraints(aiPreferences), javaScriptNotice],
  };
}

/** What tells a Mark from others with a similar name, besides its identity. */
function listMarkSentences(mark: GalleryMark): string[] {
  const [, ...facts] = listMarkFacts(mark, formatDay);
  return compact([`${facts.join(', ')}.`, describeNamesakes(mark), describeRepresentative(mark)]);
}

function compact(texts: readonly (string | false | undefined)[]): string[] {
  return texts.filter((text) => typeof text === 'string');
}

/** The elements of the head, and the content shown without JavaScript. */
export function renderHead(head: HtmlHead, baseUrl: string): { head: string; text: string } {
  const title = head.title === '' ? SITE_NAME : `${head.title} · ${SITE_NAME}`;
  const url = head.path === undefined ? undefined : `${baseUrl}${head.path}`;
  const elements = [
    `<title>${escapeHtml(title)}</title>`,
    meta('name', 'description', head.description),
    url === undefined ? meta('name', 'robots', 'noindex') : `<link rel="canonical" href="${escapeHtml(url)}">`,
    meta('property', 'og:site_name', SITE_NAME),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:title', head.title || SITE_NAME),
    meta('property', 'og:description', head.description),
    ...(url === undefined ? [] : [meta('property', 'og:url', url)]),
    ...listTdmElements(head, baseUrl),
    ...imageElements(head.image ?? sitePreview, baseUrl),
    ...iconElements,
  ];
  const paragraphs = head.text.map((text) => `<p>${escapeHtml(text)}</p>`);
  const links = Object.entries(head.links ?? {}).map(
    ([label, url]) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`,
  );
  const heading = `<h1>${escapeHtml(head.title || SITE_NAME)}</h1>`;
  return { head: elements.join('\n'), text: `<main>${[heading, ...paragraphs, ...links].join('\n')}</main>` };
}

function listTdmElements({ preferences }: HtmlHead, baseUrl: string): string[] {
  if (!preferences) return [];
  const properties = tdmProperties(preferences.aiPreferences, baseUrl + preferences.path);
  return Object.entries(properties).map(([name, content]) => meta('name', name, content));
}

/** Besides the SVG, which the built document names. */
const iconElements = [
  '<link rel="icon" href="/favicon.ico" sizes="48x48">',
  '<link rel="apple-touch-icon" href="/apple-touch-icon.png">',
  '<link rel="manifest" href="/manifest.webmanifest">',
];

function imageElements({ path, alt }: NonNullable<HtmlHead['image']>, baseUrl: string): string[] {
  return [
    meta('property', 'og:image', baseUrl + path),
    meta('property', 'og:image:type', 'image/png'),
    meta('property', 'og:image:width', '1200'),
    meta('property', 'og:image:height', '630'),
    meta('property', 'og:image:alt', alt),
    meta('name', 'twitter:card', 'summary_large_image'),
  ];
}

function meta(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escapeHtml(content)}">`;
}
