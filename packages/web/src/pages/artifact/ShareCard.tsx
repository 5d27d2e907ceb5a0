// Ways to share an Artifact: link, QR code and badge.

import { type Artifact, artifactTitle } from '@provenance-registry/core';
import { encode } from 'uqr';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CopyButton.js';

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
    <Card title="Share">
      <div className="sharing">
        <div className="stack">
          <div>
            <p className="shared-link">
              <a href={address}>{address}</a>
            </p>
            <CopyButton text={address} what="link" />
          </div>
          <div>
            <h3>Badge for your website</h3>
            <p className="badge-preview">
              <img src={`/badge/${fingerprint}.svg`} alt={description} height={40} />
            </p>
            <CodeSnippet label="As an image" text={asImage} what="image code" />
            <CodeSnippet label="As an element (needs a script)" text={asElement} what="element code" />
          </div>
        </div>
        <QrCode text={address} />
      </div>
    </Card>
  );
}

function CodeSnippet({ label, text, what }: { readonly label: string; readonly text: string; readonly what: string }) {
  return (
    <details className="code">
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

/** QR code readers need a light border of four modules, also in the dark color scheme. */
const QR_BORDER = 4;

function QrCode({ text }: { readonly text: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: QR_BORDER });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <figure className="qr">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code with the link to this page">
        <rect width={size} height={size} className="qr-light" />
        <path d={modules.join('')} className="qr-dark" shapeRendering="crispEdges" />
      </svg>
      <figcaption>Scan to open this page on your phone.</figcaption>
    </figure>
  );
}
