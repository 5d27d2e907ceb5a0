// The registration of a file: the facts with their evidence, what they prove, and what they do not prove.

import type { EmbeddedManifest, FileVerification } from '@provenance-registry/client';
import type { Fingerprint, Rendition } from '@provenance-registry/core';
import * as texts from '#texts/verifyResult';
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
import { Fact } from '../../ui/Fact.js';
import { FingerprintText, shortenFingerprint } from '../../ui/FingerprintText.js';
import { Link } from '../../ui/Link.js';
import { RecordLayout } from '../../ui/Randomart.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { confirmationOf, isConfirmed } from './confirmation.js';
import { hasProvenOriginal } from './headline.js';
import type { LookupResult, RecordedResult } from './lookup.js';
import { ProvenFacts, ServiceFacts } from './VerifiedFacts.js';

interface RegistrationDetailsProps {
  readonly fingerprint: Fingerprint;
  readonly result: LookupResult;
  /** The manifest inside the file, if there is one. */
  readonly embedded: EmbeddedManifest | undefined;
  /** Undefined until the independent checks have run. */
  readonly verification: FileVerification | undefined;
}

export function RegistrationDetails(props: RegistrationDetailsProps) {
  const isContradicted = props.verification?.verdict === 'contradicted';
  return (
    <RecordLayout fingerprint={props.fingerprint}>
      <Facts {...props} />
      {!isContradicted && <Proof {...describeProof(props)} />}
    </RecordLayout>
  );
}

const provenHeadings: Readonly<Partial<Record<ReturnType<typeof confirmationOf>, string>>> = texts.provenHeadings;

/**
 * Shows the service's record before a verification; afterwards the facts by their evidence, and the service's word apart.
 */
function Facts(props: RegistrationDetailsProps) {
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
      {hasProof && heading !== undefined && <h4>{heading}</h4>}
      <dl className="facts">
        <ProvenFacts verification={verification} />
        <OtherFacts {...props} />
      </dl>
      {isContradicted && record && (
        <section className="disputed">
          <h4>{texts.disputed}</h4>
          <dl className="facts">{record}</dl>
        </section>
      )}
      {!isContradicted && result.kind === 'recorded' && (
        <section className="service-word">
          <h4>{texts.onlyService}</h4>
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

function OtherFacts({ result, fingerprint, verification }: RegistrationDetailsProps) {
  return (
    <>
      {result.kind === 'recorded' && result.rendition && !verification && (
        <Fact name={texts.signedCopyOf}>
          {texts.copySigned(
            <Link to={`/?fingerprint=${result.artifact.fingerprint}`}>
              <code>{shortenFingerprint(result.artifact.fingerprint)}</code>
            </Link>,
            <Timestamp at={result.rendition.createdAt} />,
          )}
        </Fact>
      )}
      {result.kind === 'onChain' && result.registeredBy !== undefined && (
        <Fact name={texts.chainAccount}>
          <code>{result.registeredBy}</code>
        </Fact>
      )}
      <Fact name={texts.fingerprint}>
        <FingerprintText fingerprint={fingerprint} />
      </Fact>
    </>
  );
}

function describeProof({ result, embedded, verification }: RegistrationDetailsProps): ProofProps {
  if (result.kind === 'recorded') {
    const { proof, limits } = result.rendition ? describeCopyRecord(result.rendition) : describeRecord(result.artifact);
    if (isConfirmed(verification)) return { proof: describeConfirmation(verification), limits };
    return { proof: `${proof} ${describeConfirmation(verification)}`, limits };
  }
  if (embedded?.signedCopyOf) {
    return {
      proof: `${texts.proofs.namesOriginal} ${describeCopy(verification)}`,
      limits: [texts.limits.firstIsNotMaker],
    };
  }
  if (result.kind === 'notFound') {
    return { proof: texts.proofs.notFound, limits: [`${texts.limits.mayExistElsewhere} ${EXACT_COPIES_ONLY}`] };
  }
  if (result.isCurated) return { proof: texts.proofs.curated, limits: [texts.limits.notWhoMade, EXACT_COPIES_ONLY] };
  return { proof: texts.proofs.public, limits: [texts.limits.openToEveryone, EXACT_COPIES_ONLY] };
}

function describeCopyRecord({ status }: Rendition): ProofProps {
  const { limits } = describeRecord({ status });
  return {
    proof: isOnChain(status) ? texts.proofs.copyOnChain : texts.proofs.copy,
    limits: [...limits, texts.limits.otherFingerprint],
  };
}

function describeCopy(verification: FileVerification | undefined): string {
  return isConfirmed(verification) ? texts.proofs.underYourRoots : describeConfirmation(verification);
}

function describeConfirmation(verification: FileVerification | undefined): string {
  const confirmation = verification && confirmationOf(verification);
  if (confirmation === 'consistent') return texts.proofs.allFromService;
  if (!verification || confirmation !== 'verified') return texts.proofs.checkBelow;
  const confirmed = hasProvenOriginal(verification) ? texts.confirmedAsCopyBy : texts.confirmedBy;
  const [source, ...others] = verification.independentSources;
  return source === undefined || others.length > 0 ? confirmed.both : confirmed[source];
}
