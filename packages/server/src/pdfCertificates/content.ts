// What a certificate says: the facts of a registration as rows of label, value and source.

import {
  type Artifact,
  computeRandomart,
  describeAiPreferences,
  describeAuthorship,
  describeClaims,
  describeNamesakes,
  describePossession,
  kindNames,
  listAiConstraints,
  manifestHashOf,
  type RegistryIdentity,
} from '@provenance-registry/core';
import type { CertificateFacts, CertificateName } from '../domain/ports/index.js';
import * as texts from './texts.js';
import { showSentence, showText } from './visibleText.js';

/** Names have at most 120 characters. */
const MAX_NAME_CHARACTERS = 240;
const MAX_FILENAME_CHARACTERS = 300;

/** `code`: digits, which are drawn with a fixed width and may be broken anywhere. */
export interface Part {
  readonly text: string;
  readonly isCode?: boolean;
  readonly isQuiet?: boolean;
}

export interface Row {
  readonly label: string;
  readonly parts: readonly Part[];
  readonly source: texts.Source;
}

export interface Notice {
  readonly tone: 'warning' | 'plain';
  readonly heading: string;
  readonly paragraphs: readonly string[];
}

/** Plain data: it is sent to the worker that draws it. */
export interface CertificateContent {
  readonly fingerprint: string;
  readonly registry: string;
  readonly issuedAt: Date;
  readonly pageUrl: string;
  readonly randomart: readonly string[];
  readonly summary: readonly { readonly heading: string; readonly parts: readonly Part[] }[];
  readonly notices: readonly Notice[];
  readonly sections: readonly { readonly title: string; readonly rows: readonly Row[] }[];
  readonly proves: readonly string[];
  readonly provesNot: readonly string[];
  readonly steps: readonly { readonly text: string; readonly command?: string }[];
}

export interface Issuer {
  readonly identity: Pick<RegistryIdentity, 'name' | 'url' | 'chainId' | 'contract' | 'timestampRoots'>;
  readonly isDevelopmentChain: boolean;
  readonly signer: CertificateName & { readonly isBuiltIn: boolean };
  readonly rootsUrl: string;
}

export function describeCertificate(facts: CertificateFacts, issuer: Issuer): CertificateContent {
  const { artifact, issuedAt } = facts;
  const { identity } = issuer;
  const conditions = findConditions(facts, issuer);
  const pageUrl = `${identity.url}/artifacts/${artifact.fingerprint}`;
  return {
    fingerprint: artifact.fingerprint,
    registry: showText(identity.name, MAX_NAME_CHARACTERS),
    issuedAt,
    pageUrl,
    randomart: computeRandomart(Buffer.from(artifact.fingerprint.slice(2), 'hex')),
    summary: summarize(facts),
    notices: listNotices(facts, issuer, pageUrl),
    sections: [
      { title: texts.sections.file, rows: fileRows(artifact) },
      { title: texts.sections.registrant, rows: registrantRows(artifact) },
      { title: texts.sections.rights, rows: rightsRows(artifact) },
      { title: texts.sections.times, rows: timeRows(facts) },
      { title: texts.sections.chain, rows: chainRows(facts, issuer) },
      { title: texts.sections.signatures, rows: signatureRows(facts, issuer) },
    ].filter(({ rows }) => rows.length > 0),
    proves: texts.proves(conditions),
    provesNot: texts.provesNot(conditions),
    steps: texts.verification({
      fingerprint: artifact.fingerprint,
      chainId: identity.chainId === undefined ? '' : String(identity.chainId),
      contract: identity.contract,
      manifestUrl: artifact.c2paAssets.manifestBinaryUrl,
      signerSha256: facts.manifest?.signer.sha256,
      documentSha256: issuer.signer.sha256,
      rootsUrl: issuer.rootsUrl,
    }),
  };
}

/** Formats a time to the second, in UTC. */
export function formatTime(time: Date | string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function findConditions({ artifact, manifest, registration }: CertificateFacts, issuer: Issuer): texts.Conditions {
  const stamp = manifest?.timestamp;
  const entry = registration?.entry;
  return {
    isOnChain: entry?.manifestId === artifact.id,
    isDevelopmentChain: issuer.isDevelopmentChain,
    chainTime: entry ? formatTime(entry.time) : '',
    stampTime: stamp && formatTime(stamp.at),
    isOwnAuthority: isOwnAuthority(stamp?.authority, issuer),
    fileSeen: artifact.fileSeen,
  };
}

function isOwnAuthority(authority: CertificateName | undefined, { identity }: Issuer): boolean {
  return identity.timestampRoots.some(({ subject, isBuiltIn }) => isBuiltIn && subject === authority?.issuer);
}

function summarize({ artifact, registration, manifest }: CertificateFacts): CertificateContent['summary'] {
  const { metadata, mark, transactionHash } = artifact;
  const name = metadata.mark?.name ?? ('name' in mark ? mark.name : undefined);
  const { entry, transaction } = registration ?? {};
  const chain =
    transactionHash === null
      ? texts.notOnChainYet
      : entry && transaction
        ? texts.onChainSince(formatTime(entry.time), String(transaction.blockNumber))
        : texts.onChainUnread;
  const registered = manifest?.timestamp?.at ?? artifact.createdAt;
  return [
    {
      heading: texts.summaryHeadings.registrant,
      parts: [{ text: name === undefined ? texts.privateMark : showName(name) }],
    },
    { heading: texts.summaryHeadings.registered, parts: [{ text: formatTime(registered) }] },
    { heading: texts.summaryHeadings.chain, parts: [{ text: chain }] },
  ];
}

function listNotices({ artifact, registration }: CertificateFacts, issuer: Issuer, pageUrl: string): Notice[] {
  const { claims, transactionHash, id } = artifact;
  const notices: Notice[] = [];
  const description = describeClaims(claims);
  if (description !== undefined) {
    const heading = claims.contested
      ? texts.contestedHeading
      : claims.supersededBy
        ? texts.supersededHeading
        : texts.claimsHeading;
    notices.push({ tone: 'warning', heading, paragraphs: [showSentence(description), texts.claimsMore(pageUrl)] });
  }
  if (transactionHash === null) {
    notices.push({ tone: 'plain', heading: texts.notOnChainYet, paragraphs: [texts.notOnChainYetMore] });
  }
  const contradiction = registration && findContradiction(registration, id);
  if (contradiction !== undefined) {
    notices.push({ tone: 'warning', heading: texts.contradictionHeading, paragraphs: [contradiction] });
  }
  if (issuer.isDevelopmentChain) {
    notices.push({ tone: 'plain', heading: texts.developmentHeading, paragraphs: [texts.developmentChain] });
  }
  return notices;
}

function findContradiction({ entry }: NonNullable<CertificateFacts['registration']>, id: string): string | undefined {
  if (!entry) return texts.noEntry;
  return entry.manifestId === id ? undefined : texts.otherEntry(showText(entry.manifestId, MAX_NAME_CHARACTERS));
}

function fileRows(artifact: Artifact): Row[] {
  const { metadata, renditions, fileSeen } = artifact;
  const { labels } = texts;
  const read: texts.Source = fileSeen ? 'service' : 'stated';
  return [
    row(labels.filename, metadata.filename && showText(metadata.filename, MAX_FILENAME_CHARACTERS), 'stated'),
    row(labels.kind, kindNames[metadata.kind], read),
    row(labels.mediaType, metadata.mediaType && showText(metadata.mediaType, MAX_NAME_CHARACTERS), read),
    row(labels.size, metadata.size !== undefined && metadata.size !== null && texts.bytes(metadata.size), read),
    row(labels.lastModified, metadata.lastModified && formatTime(metadata.lastModified), 'stated'),
    row(labels.digitalSource, metadata.digitalSourceType, 'stated'),
    codeRow(labels.previous, metadata.previousFingerprint, 'stated'),
    row(labels.possession, describePossession(artifact), 'service'),
    row(labels.authorship, describeAuthorship(artifact), 'stated'),
    row(labels.copies, renditions.length > 0 && texts.copies(renditions.length), 'service'),
    row(labels.claims, describeClaims(artifact.claims) ?? texts.noClaims, 'service'),
  ].flat();
}

function registrantRows(artifact: Artifact): Row[] {
  const { labels } = texts;
  const { mark, metadata, createdBy, domainsAtRegistration, verifiedDomains } = artifact;
  if (!('name' in mark)) {
    return [...row(labels.markThen, texts.privateMark, 'service'), ...codeRow(labels.markId, mark.id, 'service')];
  }
  const author = metadata.author?.name ?? createdBy?.name;
  const renamed = createdBy && author !== createdBy.name ? [{ text: texts.authorNow(showName(createdBy.name)) }] : [];
  const then = domainsAtRegistration.map(({ domain, since, until }) => ({
    text: texts.domainSince(domain, formatTime(since), until === null ? undefined : formatTime(until)),
  }));
  const now = verifiedDomains.map(({ domain, since }) => ({
    text: texts.domainSince(domain, formatTime(since), undefined),
  }));
  const isUnchanged = metadata.mark?.name === mark.name;
  return [
    row(labels.markThen, showName(metadata.mark?.name ?? mark.name), 'stated'),
    row(labels.markNow, isUnchanged ? texts.unchanged : showName(mark.name), 'service'),
    codeRow(labels.markId, mark.id, 'service'),
    row(labels.namesakes, describeNamesakes(mark), 'service'),
    author === undefined
      ? []
      : [{ label: labels.author, parts: [{ text: showName(author) }, ...renamed], source: 'stated' as const }],
    [
      {
        label: labels.domainsThen,
        parts: then.length > 0 ? then : [{ text: texts.noDomains }],
        source: 'service' as const,
      },
    ],
    [
      {
        label: labels.domainsNow,
        parts: now.length > 0 ? now : [{ text: texts.noDomains }],
        source: 'service' as const,
      },
    ],
  ].flat();
}

function rightsRows({ license, aiPreferences }: Artifact): Row[] {
  const { labels } = texts;
  const ai = aiPreferences && [
    { text: texts.aiPreferences(describeAiPreferences(aiPreferences)) },
    ...listAiConstraints(aiPreferences).map((text) => ({ text: showSentence(text) })),
  ];
  const licenseParts = license && [
    { text: license.name },
    ...(license.url === null ? [] : [{ text: license.url, isQuiet: true }]),
  ];
  return [
    ...(licenseParts ? [{ label: labels.license, parts: licenseParts, source: 'stated' as const }] : []),
    ...(ai ? [{ label: labels.ai, parts: ai, source: 'stated' as const }] : []),
  ];
}

function timeRows({ artifact, manifest, registration, issuedAt }: CertificateFacts): Row[] {
  const { labels } = texts;
  const time = (label: string, at: Date | string, by: string, source: texts.Source): Row => ({
    label,
    parts: [{ text: formatTime(at) }, { text: by, isQuiet: true }],
    source,
  });
  const stamp = manifest?.timestamp;
  const by = texts.stampedBy(showText(stamp?.authority?.subject ?? texts.unknown, MAX_NAME_CHARACTERS));
  return [
    ...(stamp ? [time(labels.stamped, stamp.at, by, 'manifest')] : row(labels.stamped, texts.noTimestamp, 'manifest')),
    time(labels.recorded, artifact.createdAt, texts.recordedBy, 'service'),
    ...(registration?.entry ? [time(labels.mined, registration.entry.time, texts.minedBy, 'chain')] : []),
    time(labels.issued, issuedAt, texts.recordedBy, 'document'),
  ];
}

function chainRows({ artifact, registration }: CertificateFacts, { identity }: Issuer): Row[] {
  const { labels } = texts;
  const { transactionHash } = artifact;
  const { entry, transaction } = registration ?? {};
  const place = [
    ...row(
      labels.chainId,
      identity.chainId !== undefined && String(identity.chainId),
      registration ? 'chain' : 'service',
    ),
    ...codeRow(labels.contract, identity.contract, 'service'),
  ];
  if (transactionHash === null) return [...row(labels.status, texts.notOnChainYet, 'service'), ...place];
  return [
    ...(registration ? [] : row(labels.status, texts.unreadChain, 'service')),
    ...place,
    ...codeRow(labels.transaction, transactionHash, transaction ? 'chain' : 'service'),
    ...row(labels.block, transaction?.blockNumber.toString(), 'chain'),
    ...codeRow(labels.blockHash, transaction?.blockHash, 'chain'),
    ...codeRow(labels.writer, entry?.registeredBy, 'chain'),
    ...codeRow(labels.sender, transaction?.from, 'chain'),
    ...codeRow(labels.entryManifest, entry && showText(entry.manifestId, MAX_NAME_CHARACTERS), 'chain'),
    ...(entry
      ? [{ label: labels.metadataHash, parts: hashParts(artifact, entry.manifestHash), source: 'chain' as const }]
      : []),
  ];
}

/** Only who sees all metadata can compare them. */
function hashParts({ metadata, mark, contentVisibility }: Artifact, hash: string): Part[] {
  const isWhole = 'name' in mark && contentVisibility === 'public';
  const isSame = manifestHashOf(metadata) === hash;
  const comparison = isSame ? texts.metadataMatch : texts.metadataMismatch;
  return [{ text: hash, isCode: true }, ...(isWhole ? [{ text: comparison, isQuiet: isSame }] : [])];
}

function signatureRows({ artifact, manifest }: CertificateFacts, issuer: Issuer): Row[] {
  const { labels } = texts;
  const authority = manifest?.timestamp?.authority;
  const own = isOwnAuthority(authority, issuer) ? [{ text: texts.ownAuthority, isQuiet: true }] : [];
  const ownDocument = issuer.signer.isBuiltIn ? [{ text: texts.ownDocumentAuthority, isQuiet: true }] : [];
  return [
    ...codeRow(labels.manifest, `urn:c2pa:${artifact.id}`, 'service'),
    manifest
      ? { label: labels.manifestSigner, parts: certificateParts(manifest.signer), source: 'manifest' as const }
      : { label: labels.manifestSigner, parts: [{ text: texts.unreadManifest }], source: 'manifest' as const },
    ...(authority
      ? [{ label: labels.authority, parts: [...certificateParts(authority), ...own], source: 'manifest' as const }]
      : []),
    {
      label: labels.documentSigner,
      parts: [...certificateParts(issuer.signer), ...ownDocument],
      source: 'document' as const,
    },
  ];
}

function certificateParts(name: CertificateName): Part[] {
  const [subject = '', ...rest] = texts.certificate(name).map((text) => showText(text, MAX_NAME_CHARACTERS));
  return [{ text: subject }, ...rest.map((text) => ({ text, isQuiet: true })), { text: name.sha256, isCode: true }];
}

function showName(name: string): string {
  return showText(name, MAX_NAME_CHARACTERS);
}

function row(label: string, text: string | false | null | undefined, source: texts.Source): Row[] {
  return text ? [{ label, parts: [{ text: showSentence(text) }], source }] : [];
}

function codeRow(label: string, text: string | null | undefined, source: texts.Source): Row[] {
  return text ? [{ label, parts: [{ text, isCode: true }], source }] : [];
}
