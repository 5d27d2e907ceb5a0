// Ways to share an Artifact: link, QR code and badge.

import { type Artifact, artifactTitle } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/artifact';
import { QrCode } from '../../ui/artifact/QrCode.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { CopyButton } from '../../ui/text/CopyButton.js';
import * as styles from './ShareCard.module.css';

export function ShareCard({ artifact }: { readonly artifact: Artifact }) {
  const { fingerprint } = artifact;
  const address = `${location.origin}/artifacts/${fingerprint}`;
  const badge = `${location.origin}/badge/${fingerprint}.svg`;
  // Without the isolate characters around names, which matter only within a sentence.
  const description = artifactTitle(artifact).replace(/[\u2068\u2069]/g, '');
  const asImage = `<a href="${address}"><img src="${badge}" alt="${escapeHtml(description)}" height="40"></a>`;
  const asElement =
    `<script src="${location.origin}/badge.js" async></script>\n` +
    `<provenance-badge fingerprint="${fingerprint}"><a href="${address}">${escapeHtml(description)}</a></provenance-badge>`;
  return (
    <Card title={texts.share}>
      <div className={styles.sharing}>
        <div className={basics.stack}>
          <div>
            <p className={styles.link}>
              <a href={address} data-address>
                {address}
              </a>
            </p>
            <CopyButton text={address} what={texts.link} />
          </div>
          <div className={basics.noPrint}>
            <h3>{texts.badge}</h3>
            <p className={styles.badge}>
              <img src={`/badge/${fingerprint}.svg`} alt={description} height={40} />
            </p>
            <CodeSnippet label={texts.asImage} text={asImage} what={texts.imageCode} />
            <CodeSnippet label={texts.asElement} text={asElement} what={texts.elementCode} />
          </div>
        </div>
        <figure className={styles.qr}>
          <QrCode text={address} label={texts.qrCode} />
          <figcaption>{texts.scan}</figcaption>
        </figure>
      </div>
    </Card>
  );
}

function CodeSnippet({ label, text, what }: { readonly label: string; readonly text: string; readonly what: string }) {
  return (
    <details className={styles.code}>
      <summary>{label}</summary>
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} />
    </details>
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
