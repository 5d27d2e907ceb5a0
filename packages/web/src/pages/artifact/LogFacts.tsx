// The receipt of an Artifact in the public log, checked in the browser as soon as the log has it.

import type { CheckedReceipt } from '@provenance-registry/client';
import type { Artifact, Fingerprint, PublishedAnchor } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/log/log';
import { useRegistryClient } from '../../registryClient.js';
import { ExplorerLink, useRegistryIdentity } from '../../ui/artifact/explorer.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { ErrorNotice } from '../../ui/feedback/ErrorNotice.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { useQuery } from '../../ui/feedback/query.js';
import { Button } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { formatNumber } from '../../ui/text/format.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { CheckState } from '../verify/CheckState.js';
import { useOwnSources } from '../verify/ownSources.js';

interface LogFactsProps {
  readonly artifact: Artifact;
  /** Of the file or of one of its signed copies, which has a leaf of its own. */
  readonly fingerprint: Fingerprint;
}

export function LogFacts({ artifact, fingerprint }: LogFactsProps) {
  const client = useRegistryClient();
  const own = useOwnSources();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const { readCheckedReceipt } = await import('./receiptChunk.js');
      return readCheckedReceipt(client, { artifact, fingerprint }, own, signal);
    },
    [client, artifact, fingerprint, own],
  );
  const { value, error, isLoading, reload } = useQuery(load);
  // The registry has no log.
  if (value?.check.code === 'NOT_CHECKED') return null;
  return (
    <Card title={texts.inLog}>
      <ErrorNotice error={error} onRetry={reload} isBusy={isLoading} />
      {value && <ReceiptFacts checked={value} fingerprint={fingerprint} onRetry={reload} />}
      {!value && error === undefined && (
        <p className={basics.quiet} role="status">
          {texts.readingReceipt}
        </p>
      )}
    </Card>
  );
}

interface ReceiptFactsProps {
  readonly checked: CheckedReceipt;
  readonly fingerprint: Fingerprint;
  readonly onRetry: () => void;
}

function ReceiptFacts({ checked: { check, receipt }, fingerprint, onRetry }: ReceiptFactsProps) {
  if (!receipt) {
    return (
      <Notice tone="info" title={texts.noReceipt} actions={<Button onClick={onRetry}>{texts.checkAgain}</Button>}>
        <p>{texts.noReceiptText}</p>
      </Notice>
    );
  }
  const { origin, index, size, loggedAt, cosignatures = [], areTermsHidden } = check.details;
  const save = async (text: string, name: string) => (await import('./receiptChunk.js')).saveText(text, name);
  return (
    <div className={basics.stack}>
      {check.state === 'contradicted' && (
        <Notice tone="bad" title={texts.badReceipt}>
          <p>
            <bdi>{check.reason}</bdi>
          </p>
        </Notice>
      )}
      <dl className={factStyles.facts}>
        <Fact name={texts.checkedHere}>
          <CheckState check={check} />
        </Fact>
        {origin !== undefined && (
          <Fact name={texts.log}>
            <bdi>{origin}</bdi> <Link to="/log">{texts.aboutLog}</Link>
          </Fact>
        )}
        {index !== undefined && size !== undefined && (
          <Fact name={texts.place}>{texts.leafOf(formatNumber(index), formatNumber(size))}</Fact>
        )}
        {loggedAt !== undefined && (
          <Fact name={texts.loggedAt}>
            <Timestamp at={loggedAt} />
          </Fact>
        )}
        <AnchorFact check={check} stated={receipt.anchor} />
        {cosignatures.map(({ name, at }) => (
          <Fact key={name} name={texts.cosignedBy}>
            {texts.cosignature(<bdi>{name}</bdi>, <Timestamp at={at} />)}
          </Fact>
        ))}
      </dl>
      {check.state !== 'contradicted' && <p>{check.proves}</p>}
      {areTermsHidden && <p>{texts.hiddenTerms}</p>}
      <p className={`${basics.row} ${basics.noPrint}`}>
        <Button onClick={() => void save(receipt.receipt, `${fingerprint}.tlog-proof`)}>{texts.downloadReceipt}</Button>
        <Button onClick={() => void save(receipt.leaf, `${fingerprint}.leaf`)}>{texts.downloadLeaf}</Button>
        <span className={basics.quiet}>{texts.receiptNote}</span>
      </p>
    </div>
  );
}

interface AnchorFactProps {
  readonly check: CheckedReceipt['check'];
  readonly stated: PublishedAnchor | undefined;
}

/** A link only to a block that the visitor's own node has. */
function AnchorFact({ check: { state, details }, stated }: AnchorFactProps) {
  const identity = useRegistryIdentity();
  const { anchor } = details;
  if (state === 'confirmed' && anchor?.isOnChain) {
    return (
      <Fact name={texts.anchored}>
        {texts.inLogBefore(formatNumber(anchor.blockNumber), <Timestamp at={anchor.blockTime} />)}{' '}
        <ExplorerLink identity={identity} path={`block/${anchor.blockNumber}`} />
      </Fact>
    );
  }
  if (!stated || state === 'contradicted') return null;
  return (
    <Fact name={texts.anchored}>
      {texts.anchoredByWord(formatNumber(stated.blockNumber), <Timestamp at={stated.blockTime} />)}
    </Fact>
  );
}
