// How the link goes on: copied, from screen to phone, and as a badge on other pages.

import { type Artifact, artifactTitle } from '@provenance-registry/core';
import { encode } from 'uqr';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CopyButton.js';

export function Sharing({ artifact }: { readonly artifact: Artifact }) {
  const { fingerprint } = artifact;
  const address = `${location.origin}/artifacts/${fingerprint}`;
  const badge = `${location.origin}/badge/${fingerprint}.svg`;
  // The marks around names are for text that stands beside them here.
  const words = artifactTitle(artifact).replace(/[\u2068\u2069]/g, '');
  const asImage = `<a href="${address}"><img src="${badge}" alt="${escaped(words)}" height="40"></a>`;
  const asElement =
    `<script src="${location.origin}/badge.js" async></script>\n` +
    `<provenance-badge fingerprint="${fingerprint}"><a href="${address}">${escaped(words)}</a></provenance-badge>`;
  return (
    <Card title="Share it">
      <div className="sharing">
        <div className="stack">
          <div>
            <p className="shared-link">
              <a href={address}>{address}</a>
            </p>
            <CopyButton text={address} what="the link" />
          </div>
          <div>
            <h3>A badge for your page</h3>
            <p className="badge-preview">
              <img src={`/badge/${fingerprint}.svg`} alt={words} height={40} />
            </p>
            <Code label="As an image" text={asImage} what="the code of the image" />
            <Code label="As an element, which needs a script" text={asElement} what="the code of the element" />
          </div>
        </div>
        <QrCode text={address} />
      </div>
    </Card>
  );
}

function Code({ label, text, what }: { readonly label: string; readonly text: string; readonly what: string }) {
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

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Readers of QR codes want a light margin of four squares, also on a dark page. */
const MARGIN = 4;

function QrCode({ text }: { readonly text: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: MARGIN });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <figure className="qr">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code with the address of this page">
        <rect width={size} height={size} className="qr-light" />
        <path d={squares.join('')} className="qr-dark" shapeRendering="crispEdges" />
      </svg>
      <figcaption>Opens this page on a phone.</figcaption>
    </figure>
  );
}
