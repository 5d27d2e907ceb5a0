// Display text about Artifacts and Marks, shared by the web pages, their server-rendered metadata, the badge and the
// command line.

import type { Artifact, ClaimSummary, Kind } from '../api/artifacts/artifactRecord.js';
import type { GalleryMark } from '../api/marks/marks.js';
import {
  type AiPreference,
  type AiPreferences,
  type AiUse,
  aiUses,
  MAX_CONSTRAINT_LENGTH,
} from '../metadata/aiPreferences.js';

/** Filenames may have 1,024 characters; browsers and link previews cut longer titles anyway. */
const MAX_TITLE_CHARACTERS = 60;

export const kindNames: Readonly<Record<Kind, string>> = {
  image: 'An image',
  audio: 'A recording',
  video: 'A video',
  document: 'A document',
  other: 'A file',
};

/** What the file is and the Mark it is registered under, as far as the reader may see them. */
export function artifactTitle(artifact: Pick<Artifact, 'metadata' | 'status' | 'claims'> & ArtifactMark): string {
  const { metadata, status, claims } = artifact;
  const subject = metadata.filename === undefined ? kindNames[metadata.kind] : formatName(metadata.filename);
  if (status === 'failed') return `${subject}, not registered`;
  return `${claims.contested ? 'Contested: ' : ''}${subject}, registered ${describeRegistrant(artifact)}`;
}

type ArtifactMark = Pick<Artifact, 'mark' | 'metadata' | 'verifiedDomains' | 'domainsAtRegistration'>;

/** The Mark's name at registration, its present one if that differs, and what is verified about the Mark. */
export function describeRegistrant(artifact: ArtifactMark): string {
  const { mark } = artifact;
  if (!('name' in mark)) return 'under a private Mark';
  const earlier = findEarlierName(artifact);
  const present = formatName(mark.name);
  const name = earlier === undefined ? present : `${formatName(earlier)}, now called ${present}`;
  return `by ${name} (${lowerFirst(describeIdentityAtRegistration(artifact))})`;
}

/** The Mark's name when the file was registered; undefined if it has not changed since, or is hidden. */
export function findEarlierName({ mark, metadata }: Pick<Artifact, 'mark' | 'metadata'>): string | undefined {
  return 'name' in mark && metadata.mark?.name !== mark.name ? metadata.mark?.name : undefined;
}

/** Undefined if the name has not changed since the registration, or is hidden. */
export function describeNameChange(artifact: Pick<Artifact, 'mark' | 'metadata'>): string | undefined {
  const earlier = findEarlierName(artifact);
  if (earlier === undefined || !('name' in artifact.mark)) return undefined;
  return `Registered as ${formatName(earlier)}; the Mark is now called ${formatName(artifact.mark.name)}.`;
}

export const NO_VERIFIED_IDENTITY = 'No verified identity';

/** The domains that a Mark has proven control of. Never a name: names are what users have typed. */
export function describeIdentity({ verifiedDomains }: Pick<GalleryMark, 'verifiedDomains'>): string {
  if (verifiedDomains.length === 0) return NO_VERIFIED_IDENTITY;
  return joinSome(verifiedDomains.map(({ domain }) => formatDomain(domain)));
}

export function markTitle(mark: Pick<GalleryMark, 'name' | 'verifiedDomains'>): string {
  return `${formatName(mark.name)} (${lowerFirst(describeIdentity(mark))})`;
}

/** What tells a Mark from others with a similar name: identity, age, number of Artifacts. */
export function listMarkFacts(
  mark: Pick<GalleryMark, 'verifiedDomains' | 'createdAt' | 'artifactCount'>,
  formatDate: (timestamp: string) => string,
): string[] {
  return [describeIdentity(mark), `Mark since ${formatDate(mark.createdAt)}`, countOf(mark.artifactCount, 'Artifact')];
}

/** The Mark's verified domains, and whether they were verified when the file was registered. */
export function describeIdentityAtRegistration({
  verifiedDomains,
  domainsAtRegistration,
}: Pick<Artifact, 'verifiedDomains' | 'domainsAtRegistration'>): string {
  const present = new Set(verifiedDomains.map(({ domain }) => domain));
  const lapsed = domainsAtRegistration.filter(({ domain }) => !present.has(domain));
  const parts = [
    ...verifiedDomains.map(({ domain, verifiedAtRegistration }) =>
      verifiedAtRegistration ? formatDomain(domain) : `${formatDomain(domain)}, verified after registration`,
    ),
    ...(verifiedDomains.length === 0 ? [NO_VERIFIED_IDENTITY] : []),
    ...lapsed.map(({ domain }) => `${formatDomain(domain)} at registration, no longer verified`),
  ];
  return joinSome(parts, '; ');
}

/** Undefined without namesakes. The service counts up to 100. */
export function describeNamesakes({ namesakeCount }: Pick<GalleryMark, 'namesakeCount'>): string | undefined {
  if (namesakeCount === 0) return undefined;
  if (namesakeCount === 1) return 'Another public Mark has a name that looks like this one.';
  const count = namesakeCount >= 100 ? '100 or more' : namesakeCount;
  return `${count} other public Marks have names that look like this one.`;
}

/** Undefined unless the Mark's admin named another Mark. */
export function describeRepresentative({ representedBy }: Pick<GalleryMark, 'representedBy'>): string | undefined {
  return representedBy ? `The Mark is now represented by the Mark ${formatName(representedBy.name)}.` : undefined;
}

/** Whether anything shows that the registrant had the file. */
export function describePossession({ fileSeen, renditions }: Pick<Artifact, 'fileSeen' | 'renditions'>): string {
  if (fileSeen) return 'The service read this file at registration.';
  if (renditions.length > 0) {
    return 'Only the fingerprint was sent at registration. The service read the file later, to sign a copy of it.';
  }
  return 'Only the fingerprint was sent: nothing shows that the registrant had the file.';
}

export function describeAuthorship({ authorshipStated }: Pick<Artifact, 'authorshipStated'>): string {
  return authorshipStated
    ? 'The registrant stated to have made this file or to speak for its maker. The service did not check this.'
    : 'The registrant did not state to have made this file or to speak for its maker.';
}

/** Undefined without open claims and without a concession. */
export function describeClaims({ contested, open, checked, supersededBy }: ClaimSummary): string | undefined {
  const sentences = [
    contested &&
      `Contested: ${countOf(checked, 'open claim')} with checked evidence that is older than this registration.`,
    open > checked && `${countOf(open - checked, 'open claim')} without checked evidence.`,
    supersededBy && `The Mark's admin conceded this file to the Mark ${formatName(supersededBy.name)}.`,
  ].filter((sentence) => typeof sentence === 'string');
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

export function describeAiPreference(allowed: boolean | null): string {
  if (allowed === null) return 'No preference stated.';
  return allowed ? 'May be used to train AI models.' : 'May not be used to train AI models.';
}

export const aiUseNames: Readonly<Record<AiUse, string>> = {
  data_mining: 'Data mining',
  ai_inference: 'AI inference',
  ai_training: 'Non-generative AI training',
  ai_generative_training: 'Generative AI training',
};

export const aiPermissionNames: Readonly<Record<AiPreference['use'], string>> = {
  allowed: 'Allowed',
  constrained: 'Allowed under conditions only',
  notAllowed: 'Not allowed',
};

/** One sentence without the conditions: `allowed for data mining; not allowed for generative AI training.` */
export function describeAiPreferences(preferences: AiPreferences): string {
  const parts = (['allowed', 'constrained', 'notAllowed'] as const).flatMap((permission) => {
    const uses = aiUses.filter((use) => preferences[use]?.use === permission).map((use) => lowerName(aiUseNames[use]));
    return uses.length > 0 ? [`${lowerFirst(aiPermissionNames[permission])} for ${joinNames(uses)}`] : [];
  });
  return parts.length === 0 ? 'none stated.' : `${parts.join('; ')}.`;
}

/** One sentence for each use that has conditions. */
export function listAiConstraints(preferences: AiPreferences): string[] {
  return aiUses.flatMap((use) => {
    const constraint = preferences[use]?.constraint;
    return constraint === undefined
      ? []
      : [
          `Conditions for ${lowerName(aiUseNames[use])}: ${formatName(constraint.replace(/\s+/g, ' '), MAX_CONSTRAINT_LENGTH)}`,
        ];
  });
}

/** What new names may not contain: control characters, lone surrogates, line separators, bidirectional overrides. */
const hiddenCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

/** Makes visible what hides in names from before it was refused: `photo\u202egpj.exe`, as the command line shows it. */
export function escapeHidden(name: string): string {
  return name.replace(hiddenCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A user-supplied name for use within a sentence: shortened, and isolated so that it cannot reorder the text around it. */
export function formatName(name: string, maxCharacters = MAX_TITLE_CHARACTERS): string {
  const characters = [...escapeHidden(name)];
  const kept = characters.length > maxCharacters ? [...characters.slice(0, maxCharacters - 1), '…'] : characters;
  return `\u2068${kept.join('')}\u2069`;
}

/** Fits a phone. Registrable domains are shorter; only long subdomains are cut. */
const MAX_DOMAIN_CHARACTERS = 40;

/** Cut at the start, because the end tells whose domain it is. */
function formatDomain(domain: string): string {
  return domain.length > MAX_DOMAIN_CHARACTERS ? `…${domain.slice(1 - MAX_DOMAIN_CHARACTERS)}` : domain;
}

/** More would not fit a title. */
const MAX_JOINED = 2;

function joinSome(texts: readonly string[], separator = ', '): string {
  const rest = texts.length - MAX_JOINED;
  return texts.slice(0, MAX_JOINED).join(separator) + (rest > 0 ? `${separator}and ${rest} more` : '');
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Keeps abbreviations as they are. */
function lowerName(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : lowerFirst(name);
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
