// The details of one result: what was found, what that proves, and what it does not prove.

import type { Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useCallback } from 'react';
import { useRegistryClient } from '../../registryClient.js';
import {
  ArtifactFacts,
  describeRecord,
  EXACT_COPIES_ONLY,
  Fact,
  Proof,
  type ProofProps,
} from '../../ui/ArtifactFacts.js';
import { buttonClass } from '../../ui/Button.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { formatSize } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { useQuery } from '../../ui/query.js';
import { RecordLayout } from '../../ui/Randomart.js';
import { type BadgeProps, statusDisplay } from '../../ui/StatusBadge.js';
import { Timestamp } from '../../ui/Timestamp.js';
import type { HashedFile } from './fileLookups.js';
import { IndependentChecks } from './IndependentChecks.js';
import type { LookupResult } from './lookup.js';
import './results.css';

export interface ResultDetailsProps {
  readonly fingerprint: Fingerprint;
  readonly result: LookupResult;
  /** Undefined when only the fingerprint was given. */
  readonly file: HashedFile | undefined;
  /** Undefined until the user runs the independent checks. */
  readonly verification: Verification | undefined;
  readonly onVerified: (verification: Verification) => void;
}

export function ResultDetails(props: ResultDetailsProps) {
  const { fingerprint, result, file, verification, onVerified } = props;
  const isContradicted = verification?.verdict === 'contradicted';
  return (
    <div className="result-details stack">
      {isContradicted && (
        <div className="contradiction">
          <Notice tone="bad" isAlert title="Do not rely on this result">
            <p>The service, the chain and the signed manifest disagree about this file. See below for details.</p>
          </Notice>
        </div>
      )}
      <RecordLayout fingerprint={fingerprint}>
        <Facts {...props} />
        {!isContradicted && <Proof {...describeProof(result, verification)} />}
      </RecordLayout>
      {result.kind === 'notFound' && !isContradicted && <RegisterOffer fingerprint={fingerprint} file={file} />}
      <IndependentChecks fingerprint={fingerprint} verification={verification} onVerified={onVerified} />
    </div>
  );
}

export function ResultTitle({ result, verification }: Pick<ResultDetailsProps, 'result' | 'verification'>) {
  const { tone, icon, label } = headlineFor(result, verification?.verdict);
  return (
    <span className={`result-title tone-${tone}`}>
      <Icon name={icon} />
      <span>{label}</span>
    </span>
  );
}

/** What the service states, unless independent checks contradict it. */
export function headlineFor(result: LookupResult, verdict?: Verification['verdict']): BadgeProps {
  if (verdict === 'contradicted') return { tone: 'bad', icon: 'cross', label: 'Contradicted' };
  if (result.kind === 'notFound') return { tone: 'info', icon: 'question', label: 'Not registered here' };
  if (result.kind === 'recorded') {
    const { metadata, status } = result.artifact;
    const mark = metadata.mark ? `the Mark “${metadata.mark.name}”` : 'a private Mark';
    return { ...statusDisplay[status], label: `Registered under ${mark}` };
  }
  if (result.isCurated) return { tone: 'warn', icon: 'warning', label: 'On chain, but not recorded by this service' };
  return { tone: 'warn', icon: 'warning', label: 'Only in the public registry, which is open to everyone' };
}

function Facts(props: ResultDetailsProps) {
  const { result, verification } = props;
  const record = result.kind === 'recorded' && <ArtifactFacts artifact={result.artifact} />;
  if (verification?.verdict !== 'contradicted') {
    return (
      <dl className="facts">
        {record}
        <OtherFacts {...props} />
      </dl>
    );
  }
  return (
    <>
      <dl className="facts">
        <OtherFacts {...props} />
      </dl>
      {record && (
        <section className="disputed">
          <h3>What this service states (disputed)</h3>
          <dl className="facts">{record}</dl>
        </section>
      )}
    </>
  );
}

function OtherFacts({ result, fingerprint, file, verification }: ResultDetailsProps) {
  const chain = verification?.checks.chain;
  const provenSince = chain?.state === 'confirmed' ? chain.details.blockTime : undefined;
  return (
    <>
      {typeof provenSince === 'string' && (
        <Fact name="Proven since">
          <Timestamp at={provenSince} />, according to the block on chain
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
          <Link to={`/artifacts/${fingerprint}`}>View Artifact</Link>
        </Fact>
      )}
    </>
  );
}

function describeProof(result: LookupResult, verification: Verification | undefined): ProofProps {
  if (result.kind === 'notFound') {
    return {
      proof: 'As far as this service knows, exactly this file is not registered.',
      limits: [`The file may exist elsewhere, or be registered elsewhere. ${EXACT_COPIES_ONLY}`],
    };
  }
  if (result.kind === 'recorded') {
    const { proof, limits } = describeRecord(result.artifact);
    return { proof: `${proof} ${describeConfirmation(verification)}`, limits };
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

function describeConfirmation(verification: Verification | undefined): string {
  const sources = [
    ...(verification?.checks.chain.state === 'confirmed' ? ['the chain'] : []),
    ...(verification?.checks.manifest.state === 'confirmed' ? ['the signed manifest'] : []),
  ];
  if (sources.length === 0) return 'You can check this yourself below.';
  return `Your browser checked: ${sources.join(' and ')} ${sources.length === 1 ? 'confirms' : 'confirm'} it.`;
}

/** Passes the file name in the fragment, which browsers never send. */
function RegisterOffer({ fingerprint, file }: Pick<ResultDetailsProps, 'fingerprint' | 'file'>) {
  const fileFields = file && { filename: file.filename, size: String(file.size), mediaType: file.mediaType };
  const fragment = new URLSearchParams({ fingerprint, ...fileFields });
  return (
    <div className="row">
      <Link to={`/dashboard/register#${fragment}`} className={buttonClass('primary')}>
        Register this file
      </Link>
      <ChainUnavailableHint />
    </div>
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
