// The registration of a file: the facts with their evidence, what they prove, and what they do not prove.

import {
  type Confirmation,
  confirmationOf,
  type EmbeddedManifest,
  explanations,
  type FileRegistration,
  isConfirmed,
  isProven,
  type Lookup,
  type Verification,
} from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import * as texts from '#texts/lookups/verifyResult';
import {
  ArtifactFacts,
  describeRecord,
  EXACT_COPIES_ONLY,
  isOnChain,
  Proof,
  type ProofProps,
  RegistrantFacts,
  StatusFact,
} from '../../ui/artifact/ArtifactFacts.js';
import { RecordLayout } from '../../ui/artifact/Randomart.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { FingerprintText, shortenFingerprint } from '../../ui/text/FingerprintText.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { hasProvenOriginal } from './headline.js';
import { isRecorded, type RecordedLookup } from './lookup.js';
import * as styles from './RegistrationDetails.module.css';
import { ProvenFacts, ServiceFacts } from './VerifiedFacts.js';

interface RegistrationDetailsProps {
  readonly fingerprint: Fingerprint;
  readonly result: Lookup;
  /** The manifest inside the file, if there is one. */
  readonly embedded: EmbeddedManifest | undefined;
  /** Undefined until the independent checks have run. */
  readonly verification: Verification | undefined;
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

const provenHeadings: Readonly<Partial<Record<Confirmation, string>>> = texts.provenHeadings;

/**
 * Shows the service's record before a verification; afterwards the facts by their evidence, and the service's word apart.
 */
function Facts(props: RegistrationDetailsProps) {
  const { result, verification } = props;
  const record = isRecorded(result) && <RecordFacts {...result} />;
  if (!verification) {
    return (
      <dl className={factStyles.facts}>
        {record}
        <OtherFacts {...props} />
      </dl>
    );
  }
  const isContradicted = verification.verdict === 'contradicted';
  const heading = provenHeadings[confirmationOf(verification)];
  const hasProof = verification.facts.some(isProven);
  return (
    <>
      {hasProof && heading !== undefined && <h4>{heading}</h4>}
      <dl className={factStyles.facts}>
        <ProvenFacts verification={verification} />
        <OtherFacts {...props} />
      </dl>
      {isContradicted && record && (
        <section className={styles.disputed}>
          <h4>{texts.disputed}</h4>
          <dl className={factStyles.facts}>{record}</dl>
        </section>
      )}
      {!isContradicted && isRecorded(result) && (
        <section className={styles.serviceWord}>
          <h4>{texts.onlyService}</h4>
          <dl className={factStyles.facts}>
            <ServiceFacts verification={verification} />
            <RegistrantFacts artifact={result.artifact} />
            <StatusFact status={result.registration.status} />
          </dl>
        </section>
      )}
    </>
  );
}

/** The status is that of the file itself: a signed copy reaches the chain after its original. */
function RecordFacts({ artifact, registration: { status }, signedCopyOf }: RecordedLookup) {
  return <ArtifactFacts artifact={signedCopyOf ? { ...artifact, status } : artifact} />;
}

function OtherFacts({ result, fingerprint, verification }: RegistrationDetailsProps) {
  return (
    <>
      {isRecorded(result) && result.signedCopyOf && !verification && (
        <Fact name={texts.signedCopyOf}>
          {texts.copySigned(
            <Link to={`/#fingerprint=${result.signedCopyOf}`}>
              <code>{shortenFingerprint(result.signedCopyOf)}</code>
            </Link>,
            <Timestamp at={result.registration.createdAt} />,
          )}
        </Fact>
      )}
      {result.match === 'chain' && result.registeredBy !== undefined && (
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
  if (isRecorded(result)) {
    const { artifact, registration, signedCopyOf } = result;
    const { proof, limits } = signedCopyOf ? describeCopyRecord(registration) : describeRecord(artifact);
    if (isConfirmed(verification)) return { proof: describeConfirmation(verification), limits };
    return { proof: `${proof} ${describeConfirmation(verification)}`, limits };
  }
  if (embedded?.signedCopyOf) {
    return {
      proof: `${texts.proofs.namesOriginal} ${describeCopy(verification)}`,
      limits: [texts.limits.firstIsNotMaker],
    };
  }
  if (result.match === 'none') {
    return { proof: texts.proofs.notFound, limits: [`${texts.limits.mayExistElsewhere} ${EXACT_COPIES_ONLY}`] };
  }
  if (result.source === 'curated')
    return { proof: texts.proofs.curated, limits: [texts.limits.notWhoMade, EXACT_COPIES_ONLY] };
  return { proof: texts.proofs.public, limits: [texts.limits.openToEveryone, EXACT_COPIES_ONLY] };
}

function describeCopyRecord({ status }: FileRegistration): ProofProps {
  const { limits } = describeRecord({ status });
  return {
    proof: isOnChain(status) ? texts.proofs.copyOnChain : texts.proofs.copy,
    limits: [...limits, texts.limits.otherFingerprint],
  };
}

function describeCopy(verification: Verification | undefined): string {
  return isConfirmed(verification) ? texts.proofs.underYourRoots : describeConfirmation(verification);
}

function describeConfirmation(verification: Verification | undefined): string {
  const confirmation = verification && confirmationOf(verification);
  if (confirmation === 'consistent') return texts.proofs.allFromService;
  if (!verification || confirmation !== 'verified') return texts.proofs.checkBelow;
  const { independentSources } = verification;
  return texts.confirmedBy(explanations.listSources(independentSources), {
    isOne: independentSources.length === 1,
    isDated: independentSources.some((source) => source !== 'log'),
    isCopy: hasProvenOriginal(verification),
  });
}
