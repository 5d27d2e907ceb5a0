// Where an Artifact is on chain and who signed its manifest, as the service states it: what the independent check confirms.

import type { Artifact } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/artifacts/artifact';
import { chainName } from '#texts/site/chain';
import { ExplorerLink, useRegistryIdentity } from '../../ui/artifact/explorer.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { useQuery } from '../../ui/feedback/query.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { CopyableCode } from '../../ui/text/CopyableCode.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import * as styles from './ChainFacts.module.css';
import { readSignature } from './signature.js';

export function ChainFacts({ artifact }: { readonly artifact: Artifact }) {
  const { id, transactionHash, chainEntry } = artifact;
  const identity = useRegistryIdentity();
  return (
    <Card title={texts.onChain}>
      <dl className={factStyles.facts}>
        {identity?.chainId !== undefined && <Fact name={texts.chain}>{chainName(identity.chainId)}</Fact>}
        {identity && (
          <Fact name={texts.contract}>
            <CopyableCode text={identity.contract} what={texts.copyNames.contract}>
              <Link to="/contract">{texts.aboutContract}</Link>
            </CopyableCode>
          </Fact>
        )}
        {transactionHash !== null && (
          <Fact name={texts.transaction}>
            <CopyableCode text={transactionHash} what={texts.copyNames.transaction}>
              <ExplorerLink identity={identity} path={`tx/${transactionHash}`} />
            </CopyableCode>
          </Fact>
        )}
        {chainEntry && (
          <>
            <Fact name={texts.block}>
              <CopyableCode text={String(chainEntry.blockNumber)} what={texts.copyNames.block}>
                <ExplorerLink identity={identity} path={`block/${chainEntry.blockNumber}`} />
              </CopyableCode>
            </Fact>
            <Fact name={texts.blockTime}>
              <Timestamp at={chainEntry.blockTime} />
            </Fact>
            <Fact name={texts.writtenBy}>
              <CopyableCode text={chainEntry.registrar} what={texts.copyNames.writtenBy} />
            </Fact>
          </>
        )}
        <Fact name={texts.manifestId}>
          <CopyableCode text={id} what={texts.copyNames.manifestId} />
        </Fact>
        <SignatureFacts reportUrl={artifact.c2paAssets.manifestUrl} />
      </dl>
      <p className={`${basics.quiet} ${styles.note}`}>{texts.serviceWord}</p>
    </Card>
  );
}

/** What cannot be read is not shown: the downloads have it, and the independent check says what is wrong. */
function SignatureFacts({ reportUrl }: { readonly reportUrl: string }) {
  const load = useCallback((signal: AbortSignal) => readSignature(reportUrl, signal), [reportUrl]);
  const { value } = useQuery(load);
  return (
    <>
      {value?.signer !== undefined && (
        <Fact name={texts.signedBy}>
          {texts.signer(<bdi>{value.signer}</bdi>, value.issuer === undefined ? undefined : <bdi>{value.issuer}</bdi>)}
        </Fact>
      )}
      {value?.time !== undefined && (
        <Fact name={texts.timestamp}>
          <Timestamp at={value.time} />
        </Fact>
      )}
    </>
  );
}
