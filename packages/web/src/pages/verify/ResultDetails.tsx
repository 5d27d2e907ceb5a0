// The details of one result: what was found, what that proves, and what it does not prove.

import {
  describeQuestion,
  type EmbeddedManifest,
  type FileVerification,
  type LookupQuestion,
} from '@provenance-registry/client';
import type { Fingerprint, Rendition } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import {
  ArtifactFacts,
  describeRecord,
  EXACT_COPIES_ONLY,
  isOnChain,
  Proof,
  type ProofProps,
  RegistrantFacts,
  StatusFact,
} from '../../ui/ArtifactFacts.js';
import { ClaimsNotice } from '../../ui/ClaimsNotice.js';
import { Fact } from '../../ui/Fact.js';
import { FingerprintText, shortenFingerprint } from '../../ui/FingerprintText.js';
import { formatSize } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { useQuery } from '../../ui/query.js';
import { RecordLayout } from '../../ui/Randomart.js';
import { RegisterHint } from '../../ui/RegisterHint.js';
import { type BadgeProps, contestedDisplay, statusDisplay } from '../../ui/StatusBadge.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { confirmationOf, isConfirmed } from './confirmation.js';
import { EmbeddedSection } from './EmbeddedSection.js';
import type { HashedFile } from './fileLookups.js';
import { IndependentChecks } from './IndependentChecks.js';
import { LookalikeSection } from './LookalikeSection.js';
import type { LookupResult, RecordedResult } from './lookup.js';
import { ProvenFacts, ServiceFacts } from './VerifiedFacts.js';
import './results.css';

export interface ResultDetailsProps {
  readonly fingerprint: Fingerprint;
  readonly result: LookupResult;
  /** Undefined when only the fingerprint was given. */
  readonly file: HashedFile | undefined;
  /** The manifest inside the file; undefined when there is none. */
  readonly embedded: EmbeddedManifest | undefined;
  /** Undefined until the user runs the independent checks. */
  readonly verification: FileVerification | undefined;
  readonly onVerified: (verification: FileVerification) => void;
}

export function ResultDetails(props: ResultDetailsProps) {
  const { fingerprint, result, file, embedded, verification, onVerified } = props;
  const isContradicted = verification?.verdict === 'contradicted';
  const isUnknown = result.kind === 'notFound' && embedded?.signedCopyOf === undefined;
  const content = file?.content;
  const [areCodesSent, setAreCodesSent] = useState(false);
  return (
    <div className="result-details stack">
      {isContradicted && (
        <div className="contradiction">
          <Notice tone="bad" isAlert title="Do not rely on this result">
            <p>The service, the chain and the signed manifest disagree about this file. See below for details.</p>
          </Notice>
        </div>
      )}
      {result.kind === 'recorded' && (
        <ClaimsNotice artifact={result.artifact}>
          <Link to={`/artifacts/${result.artifact.fingerprint}`}>Read the claims</Link> on the page of the file.
        </ClaimsNotice>
      )}
      <RecordLayout fingerprint={fingerprint}>
        <Facts {...props} />
        {!isContradicted && <Proof {...describeProof(props)} />}
      </RecordLayout>
      {isUnknown && !isContradicted && file && isComparable(file) && (
        <LookalikeSection content={content} onSent={() => setAreCodesSent(true)} />
      )}
      {isUnknown && !isContradicted && (
        <UnknownFile fingerprint={fingerprint} file={file} isChainKnown={result.isChainKnown} />
      )}
      <p className="question">
        <Icon name="lock" />
        <span>{describeSent(mostRevealing(result.question, verification?.lookup), areCodesSent)}</span>
      </p>
      {embedded && <EmbeddedSection embedded={embedded} />}
      <IndependentChecks
        subject={{ fingerprint, content, lookup: result.question.kind }}
        verification={verification}
        onVerified={onVerified}
      />
    </div>
  );
}

function mostRevealing(first: LookupQuestion, second: LookupQuestion | undefined): LookupQuestion {
  return second?.isFileNamed ? second : first;
}

function describeSent(question: LookupQuestion, areCodesSent: boolean): string {
  if (!areCodesSent || question.prefix === undefined) return describeQuestion(question);
  return `The registry learned what the file is like by its codes, and how its fingerprint starts: ${question.prefix}.`;
}

/** Pictures and recordings. For other files, nothing is said about look-alikes. */
function isComparable({ mediaType }: FileType): boolean {
  return /^(image|audio)\//.test(mediaType);
}

type FileType = Pick<HashedFile, 'mediaType'>;
interface TitleProps extends Pick<ResultDetailsProps, 'result' | 'embedded' | 'verification'> {
  readonly file: FileType | undefined;
}

export function ResultTitle(props: TitleProps) {
  const { tone, icon, label } = headlineFor(props);
  return (
    <span className={`result-title tone-${tone}`}>
      <Icon name={icon} />
      <span>{label}</span>
    </span>
  );
}

/** What the service states, and says that it is its statement, unless independent sources confirm or contradict it. */
export function headlineFor({ result, embedded, verification, file }: TitleProps): BadgeProps {
  if (verification?.verdict === 'contradicted') return { tone: 'bad', icon: 'cross', label: 'Contradicted' };
  const whose = isConfirmed(verification) ? '' : ACCORDING_TO_SERVICE;
  if (result.kind === 'recorded') return recordHeadline(result, verification, whose);
  // The card of an Artifact. A copy is not recorded when the registration of its original failed.
  if (embedded?.signedCopyOf) {
    return { tone: 'info', icon: 'check', label: `Card or signed copy of a registered file${whose}` };
  }
  if (result.kind === 'notFound') {
    const label = file && isComparable(file) ? 'No exact match' : 'Not registered here';
    return { tone: 'info', icon: 'question', label };
  }
  if (result.isCurated) return { tone: 'warn', icon: 'warning', label: 'On chain, but not recorded by this service' };
  return { tone: 'warn', icon: 'warning', label: 'Only in the public registry, which is open to everyone' };
}

const ACCORDING_TO_SERVICE = ', according to this service';

function recordHeadline(
  { artifact, rendition }: RecordedResult,
  verification: FileVerification | undefined,
  whose: string,
): BadgeProps {
  const isVerified = isConfirmed(verification);
  const mark = verification ? markFact(verification) : artifact.metadata.mark?.name;
  // That it is private is never more than the service's word.
  const unnamed = isVerified ? 'a Mark that is not named' : 'a private Mark';
  const under = `under ${mark === undefined ? unnamed : `the Mark “${mark}”`}`;
  const { contested } = artifact.claims;
  const display = { ...statusDisplay[(rendition ?? artifact).status], ...(contested && contestedDisplay) };
  // Claims are the service's word, whatever else is verified.
  const disputed = contested ? `; contested${isVerified ? ACCORDING_TO_SERVICE : ''}` : '';
  if (!rendition) return { ...display, label: `Registered ${under}${disputed}${whose}` };
  const label =
    isVerified && !hasProvenOriginal(verification)
      ? `Registered ${under}${disputed}; a signed copy${ACCORDING_TO_SERVICE}`
      : `Signed copy of a file registered ${under}${disputed}${whose}`;
  return { ...display, label };
}

/** That it is a copy can be the service's word although the rest is verified. */
function hasProvenOriginal(verification: FileVerification | undefined): boolean {
  const original = verification?.facts.find(({ name }) => name === 'signedCopyOf');
  return original !== undefined && original.evidence[0] !== 'service';
}

function markFact({ facts }: FileVerification): string | undefined {
  const mark = facts.find(({ name }) => name === 'mark');
  return typeof mark?.value === 'string' ? mark.value : undefined;
}

const provenHeadings: Readonly<Partial<Record<ReturnType<typeof confirmationOf>, string>>> = {
  verified: 'Confirmed independently of this service',
  consistent: 'According to this service, with the node and the roots that it names',
  contradicted: 'What is not disputed',
};

/** Before a verification the service's record; afterwards the facts by their evidence, and the service's word apart. */
function Facts(props: ResultDetailsProps) {
  const { result, verification } = props;
  const record = result.kind === 'recorded' && <RecordFacts {...result} />;
  if (!verification) {
    return (
      <dl className="facts">
        {record}
        <OtherFacts {...props} />
      </dl>
    );
  }
  const isContradicted = verification.verdict === 'contradicted';
  const heading = provenHeadings[confirmationOf(verification)];
  const hasProof = verification.facts.some(({ evidence }) => evidence[0] !== 'service');
  return (
    <>
      {hasProof && heading !== undefined && <h3>{heading}</h3>}
      <dl className="facts">
        <ProvenFacts verification={verification} />
        <OtherFacts {...props} />
      </dl>
      {isContradicted && record && (
        <section className="disputed">
          <h3>What this service states (disputed)</h3>
          <dl className="facts">{record}</dl>
        </section>
      )}
      {!isContradicted && result.kind === 'recorded' && (
        <section className="service-word">
          <h3>What only this service says</h3>
          <dl className="facts">
            <ServiceFacts verification={verification} />
            <RegistrantFacts artifact={result.artifact} />
            <StatusFact status={(result.rendition ?? result.artifact).status} />
          </dl>
        </section>
      )}
    </>
  );
}

/** The status is that of the file itself: a signed copy reaches the chain after its original. */
function RecordFacts({ artifact, rendition }: RecordedResult) {
  return <ArtifactFacts artifact={rendition ? { ...artifact, status: rendition.status } : artifact} />;
}

function OtherFacts({ result, fingerprint, file, verification }: ResultDetailsProps) {
  return (
    <>
      {result.kind === 'recorded' && result.rendition && !verification && (
        <Fact name="Signed copy of">
          <Link to={`/?fingerprint=${result.artifact.fingerprint}`}>
            <code>{shortenFingerprint(result.artifact.fingerprint)}</code>
          </Link>
          , signed <Timestamp at={result.rendition.createdAt} />
        </Fact>
      )}
      {result.kind === 'onChain' && result.registeredBy !== undefined && (
        <Fact name="Chain account">
          <code>{result.registeredBy}</code>
        </Fact>
      )}
      {file && (
        <Fact name="Your file">
          <bdi>{file.filename}</bdi>, {formatSize(file.size)}
        </Fact>
      )}
      <Fact name="Fingerprint">
        <FingerprintText fingerprint={fingerprint} />
      </Fact>
      {result.kind === 'recorded' && (
        <Fact name="More">
          <Link to={`/artifacts/${result.artifact.fingerprint}`}>View Artifact</Link>
        </Fact>
      )}
    </>
  );
}

function describeProof({ result, embedded, verification }: ResultDetailsProps): ProofProps {
  if (result.kind === 'recorded') {
    const { proof, limits } = result.rendition ? describeCopyRecord(result.rendition) : describeRecord(result.artifact);
    if (isConfirmed(verification)) return { proof: describeConfirmation(verification), limits };
    return { proof: `${proof} ${describeConfirmation(verification)}`, limits };
  }
  if (embedded?.signedCopyOf) {
    return {
      proof: `The signed manifest in your file names a registered file. ${describeCopy(verification)}`,
      limits: ['Registering a file first does not mean having made it or holding rights to it.'],
    };
  }
  if (result.kind === 'notFound') {
    return {
      proof: 'As far as this service knows, exactly this file is not registered.',
      limits: [`The file may exist elsewhere, or be registered elsewhere. ${EXACT_COPIES_ONLY}`],
    };
  }
  if (result.isCurated) {
    return {
      proof: 'The curated registry on chain has an entry for exactly this file, but this service has no record of it.',
      limits: ['It does not prove who made the file.', EXACT_COPIES_ONLY],
    };
  }
  return {
    proof: 'The chain account knew the fingerprint of this file when it wrote the entry.',
    limits: ['The public registry is open to everyone: an entry does not prove who made the file.', EXACT_COPIES_ONLY],
  };
}

function describeCopyRecord({ status }: Rendition): ProofProps {
  const { limits } = describeRecord({ status });
  return {
    proof: `This service states that it made exactly this file as a signed copy of a file that was registered under this Mark at that time${
      isOnChain(status) ? ', and that it is on chain' : ''
    }.`,
    limits: [...limits, 'The registered file itself has a different fingerprint.'],
  };
}

function describeCopy(verification: FileVerification | undefined): string {
  if (!isConfirmed(verification)) return describeConfirmation(verification);
  return 'Its signer leads to the roots that you named.';
}

function describeConfirmation(verification: FileVerification | undefined): string {
  const confirmation = verification && confirmationOf(verification);
  if (confirmation === 'consistent') return 'All of it comes from this service.';
  if (!verification || confirmation !== 'verified') return 'You can check this yourself below.';
  const names = { chain: 'the chain', manifest: 'the signed manifest' } as const;
  const sources = verification.independentSources.map((source) => names[source]);
  const verb = sources.length === 1 ? 'shows' : 'show';
  const asCopy = hasProvenOriginal(verification) ? ' as a signed copy' : '';
  return `Your browser checked: ${sources.join(' and ')} ${verb} that exactly this file was registered then${asCopy}, with these facts.`;
}

interface UnknownFileProps extends Pick<ResultDetailsProps, 'fingerprint' | 'file'> {
  /** Undefined: only the status of the service tells. */
  readonly isChainKnown: boolean | undefined;
}

function UnknownFile({ fingerprint, file, isChainKnown }: UnknownFileProps) {
  const fileFields = file && { filename: file.filename, size: String(file.size), mediaType: file.mediaType };
  return (
    <>
      {isChainKnown === undefined && <ChainUnavailableHint />}
      {isChainKnown === false && (
        <p className="tone-warn" role="status">
          The registry has not read the latest blocks of the chain, which may have an entry for this file.
        </p>
      )}
      <RegisterHint fields={{ fingerprint, ...fileFields }} />
    </>
  );
}

/** While the chain is unavailable, an unknown fingerprint may still have an entry there. */
function ChainUnavailableHint() {
  const client = useRegistryClient();
  const load = useCallback((signal: AbortSignal) => client.getServiceStatus({ signal }), [client]);
  const { value } = useQuery(load);
  if (value === undefined || value.status === 'ok') return null;
  return (
    <p className="tone-warn" role="status">
      The chain is unavailable at the moment and may have an entry for this file.
    </p>
  );
}
