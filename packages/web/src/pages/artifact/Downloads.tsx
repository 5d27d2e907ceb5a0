// The files that a visitor can download about an Artifact.

import type { Artifact, Fingerprint } from '@provenance-registry/core';
import { type ReactNode, useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/artifact';
import { describeError } from '../../errorMessages.js';
import { useRegistryClient } from '../../registryClient.js';
import { isOnChain } from '../../ui/artifact/ArtifactFacts.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { Button } from '../../ui/form/Button.js';
import { useAction } from '../../ui/form/useAction.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { useOwnSources } from '../verify/ownSources.js';
import * as styles from './Downloads.module.css';

export function Downloads({ artifact: { id, fingerprint, status, c2paAssets } }: { readonly artifact: Artifact }) {
  const { manifestUrl, manifestBinaryUrl, signedAssetUrl } = c2paAssets;
  const certificate = `${location.origin}/api/v1/public/artifacts/${fingerprint}/certificate`;
  return (
    <Card title={texts.downloads}>
      <div className={styles.downloads}>
        <ul className={`${basics.stack} ${basics.list} ${styles.list}`}>
          {status !== 'failed' && <Download url={certificate} name={`${fingerprint}.pdf`} texts={texts.certificate} />}
          {isOnChain(status) && <BundleDownload fingerprint={fingerprint} />}
          <Download url={manifestUrl} name={`${id}.json`} texts={texts.report} />
          <Download url={manifestBinaryUrl} name={`${id}.c2pa`} texts={texts.manifest} />
          <Download url={signedAssetUrl} name={`${id}.png`} texts={texts.card} />
        </ul>
        <img src={signedAssetUrl} width={600} height={400} alt={texts.cardAlt} />
      </div>
      <p className={basics.quiet}>{texts.fileNotHere}</p>
    </Card>
  );
}

interface DownloadTexts {
  readonly label: string;
  readonly description: string;
}

function Download({ url, name, texts }: { url: string; name: string; texts: DownloadTexts }) {
  return (
    <DownloadItem description={texts.description}>
      <a href={url} download={name}>
        {texts.label}
      </a>
    </DownloadItem>
  );
}

interface DownloadItemProps {
  readonly description: string;
  readonly className?: string;
  readonly children: ReactNode;
}

function DownloadItem({ description, className, children }: DownloadItemProps) {
  return (
    <li className={className}>
      {children}
      <span className={basics.quiet}> {description}</span>
    </li>
  );
}

/** Made in the browser, on demand. */
function BundleDownload({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const client = useRegistryClient();
  const own = useOwnSources();
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number }>();
  const [isProven, setIsProven] = useState(true);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const { isBusy, error, run } = useAction(async () => {
    controller.current = new AbortController();
    setProgress(undefined);
    announce(texts.bundle.making);
    const { downloadBundle } = await import('./evidenceBundle.js');
    const { signal } = controller.current;
    setIsProven(await downloadBundle(fingerprint, { client, own, signal, onProgress: setProgress }));
    announce(texts.bundle.done);
  });
  return (
    <>
      <DownloadItem description={texts.bundle.description} className={basics.noPrint}>
        <Button kind="link" isBusy={isBusy} onClick={() => void run()}>
          {texts.bundle.label}
        </Button>
      </DownloadItem>
      {isBusy && (
        <li className={basics.quiet}>
          {progress ? texts.bundle.reading(progress.done, progress.total) : texts.bundle.making}
          <progress value={progress?.done} max={progress?.total} aria-label={texts.bundle.making} />
        </li>
      )}
      {!isBusy && error !== undefined && (
        <li>
          <Notice tone="bad" isAlert title={texts.bundle.failed}>
            <p>{describeError(error)}</p>
          </Notice>
        </li>
      )}
      {!isBusy && error === undefined && !isProven && (
        <li>
          <Notice tone="warn">
            <p>{texts.bundle.withoutProof}</p>
          </Notice>
        </li>
      )}
    </>
  );
}
