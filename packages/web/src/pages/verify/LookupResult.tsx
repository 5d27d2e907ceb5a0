// The answer about one file, in plain words: what was found, what that proves, and what it does not.

import type { Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useCallback } from 'react';
import { useService } from '../../registryClient.js';
import { Link } from '../../routing.js';
import {
  ArtifactFacts,
  Fact,
  Meaning,
  type MeaningProps,
  meaningOfRecord,
  OTHER_BYTES,
} from '../../ui/ArtifactFacts.js';
import { buttonClass } from '../../ui/Button.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { sizeOf } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { Notice } from '../../ui/Notice.js';
import { useLoaded } from '../../ui/QueryView.js';
import { Bishop } from '../../ui/Randomart.js';
import { Time } from '../../ui/Timestamp.js';
import type { KnownFile } from './fileLookups.js';
import { headlineOf } from './headline.js';
import { Checks } from './IndependentChecks.js';
import type { Finding } from './lookup.js';

export interface AnswerProps {
  readonly fingerprint: Fingerprint;
  readonly finding: Finding;
  /** The file itself, when it was given and not only its fingerprint. */
  readonly file: KnownFile | undefined;
  /** Once somebody has checked it. */
  readonly found: Verification | undefined;
  readonly onChecked: (found: Verification) => void;
}

export function Answer(props: AnswerProps) {
  const { fingerprint, finding, file, found, onChecked } = props;
  const isContradicted = found?.verdict === 'contradicted';
  return (
    <div className="answer stack">
      {isContradicted && <Contradiction />}
      <div className="answer-body">
        <div className="stack">
          <Facts {...props} />
          {!isContradicted && <Meaning {...meaningOf(finding, found)} />}
        </div>
        <figure className="answer-face">
          <Bishop fingerprint={fingerprint} />
          <figcaption>The face of this fingerprint: the same file always has the same one.</figcaption>
        </figure>
      </div>
      {finding.kind === 'nothing' && !isContradicted && <Offer fingerprint={fingerprint} file={file} />}
      <Checks fingerprint={fingerprint} onChecked={onChecked} />
    </div>
  );
}

function Contradiction() {
  return (
    <div className="contradiction">
      <Notice tone="bad" isAlert title="Do not rely on what is said here about this file">
        <p>The service, the chain and the signed manifest do not agree. Below is who contradicts whom, and in what.</p>
      </Notice>
    </div>
  );
}

export function AnswerTitle({ finding, found }: Pick<AnswerProps, 'finding' | 'found'>) {
  const { tone, icon, text } = headlineOf(finding, found?.verdict);
  return (
    <span className={`answer-title tone-${tone}`}>
      <Icon name={icon} />
      <span>{text}</span>
    </span>
  );
}

function Facts(props: AnswerProps) {
  const { finding, found } = props;
  const record = finding.kind === 'recorded' && <ArtifactFacts artifact={finding.artifact} />;
  if (found?.verdict !== 'contradicted') {
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
        <section className="doubtful">
          <h3>What this service says, which cannot all be so</h3>
          <dl className="facts">{record}</dl>
        </section>
      )}
    </>
  );
}

function OtherFacts({ finding, fingerprint, file, found }: AnswerProps) {
  const since = found?.checks.chain.state === 'confirmed' ? found.checks.chain.details['since'] : undefined;
  return (
    <>
      {typeof since === 'string' && (
        <Fact name="Proven since">
          <Time at={since} />, by the time of the block on the chain
        </Fact>
      )}
      {finding.kind === 'onChain' && finding.registeredBy !== undefined && (
        <Fact name="Written by">
          <code>{finding.registeredBy}</code>
        </Fact>
      )}
      {file && (
        <Fact name="Your file">
          <bdi>{file.filename}</bdi>, {sizeOf(file.size)}
        </Fact>
      )}
      <Fact name="Fingerprint">
        <FingerprintText fingerprint={fingerprint} />
      </Fact>
      {finding.kind === 'recorded' && (
        <Fact name="More">
          <Link to={`/artifacts/${fingerprint}`}>The page of this Artifact</Link>
        </Fact>
      )}
    </>
  );
}

function meaningOf(finding: Finding, found: Verification | undefined): MeaningProps {
  if (finding.kind === 'nothing') {
    return {
      proof: 'As far as this service can see now, nobody has registered exactly this file.',
      limits: [`It is no proof that nobody made it before, or registered it elsewhere. ${OTHER_BYTES}`],
    };
  }
  if (finding.kind === 'recorded') {
    const { proof, limits } = meaningOfRecord(finding.artifact);
    return { proof: `${proof} ${whoElseSaysSo(found)}`, limits };
  }
  if (finding.isCurated) {
    return {
      proof:
        'The registry on the chain has an entry of exactly this file, but this service has no record that says whose it is.',
      limits: ['It is no proof of who made it.', OTHER_BYTES],
    };
  }
  return {
    proof: 'Some account knew the fingerprint of this file when it wrote it down on the chain.',
    limits: ['Anyone may write anything there: it says nothing about whose the file is.', OTHER_BYTES],
  };
}

function whoElseSaysSo(found: Verification | undefined): string {
  const confirmers = [
    ...(found?.checks.chain.state === 'confirmed' ? ['the chain'] : []),
    ...(found?.checks.manifest.state === 'confirmed' ? ['the signed manifest'] : []),
  ];
  if (confirmers.length === 0) return 'You need not believe it: check it below.';
  return `Your browser has asked, and ${confirmers.join(' and ')} ${confirmers.length === 1 ? 'confirms' : 'confirm'} it.`;
}

/** Behind the `#`, which browsers keep to themselves: what a file is called is nobody else's business yet. */
function Offer({ fingerprint, file }: Pick<AnswerProps, 'fingerprint' | 'file'>) {
  const known = file && { filename: file.filename, size: String(file.size), mediaType: file.mediaType };
  const about = new URLSearchParams({ fingerprint, ...known });
  return (
    <div className="row">
      <Link to={`/dashboard/register#${about}`} className={buttonClass('primary')}>
        Register it under your Mark
      </Link>
      <ChainAway />
    </div>
  );
}

/** Then nothing was found in one of two places, and that should be known. */
function ChainAway() {
  const service = useService();
  const load = useCallback((signal: AbortSignal) => service.getServiceStatus({ signal }), [service]);
  const { value } = useLoaded(load);
  if (value === undefined || value.status === 'ok') return null;
  return (
    <p className="tone-warn" role="status">
      The chain cannot be asked at the moment: it may know more.
    </p>
  );
}
