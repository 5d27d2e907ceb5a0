// The randomart of a fingerprint, as OpenSSH draws it: different fingerprints look different at a glance.

import {
  computeRandomart,
  digestOf,
  type Fingerprint,
  RANDOMART_ALPHABET,
  RANDOMART_COLUMNS,
  RANDOMART_ROWS,
} from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/site/ui';
import * as basics from '../layout/basics.module.css';
import * as styles from './Randomart.module.css';

interface RecordLayoutProps {
  readonly fingerprint: Fingerprint;
  readonly hasCaption?: boolean;
  readonly children: ReactNode;
}

/** Facts beside the randomart of their file. */
export function RecordLayout({ fingerprint, hasCaption = true, children }: RecordLayoutProps) {
  return (
    <div className={styles.record}>
      <div className={`${basics.stack} ${styles.facts}`}>{children}</div>
      <figure>
        <Randomart fingerprint={fingerprint} />
        {hasCaption && <figcaption>{texts.randomartCaption}</figcaption>}
      </figure>
    </div>
  );
}

function Randomart({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  return (
    <svg
      className={`${basics.box} ${styles.randomart}`}
      role="img"
      aria-label={texts.randomartOf(fingerprint.slice(0, 10))}
      viewBox={`-1 -1 ${RANDOMART_COLUMNS + 2} ${RANDOMART_ROWS + 2}`}
    >
      {visitedCells(fingerprint).map(({ x, y, visits }) => (
        <rect
          key={`${x},${y}`}
          className={visits >= RANDOMART_ALPHABET.length - 2 ? styles.end : styles.cell}
          x={x}
          y={y}
          width={1}
          height={1}
          opacity={Math.min(1, 0.25 + visits * 0.13)}
        />
      ))}
    </svg>
  );
}

/** Opacity of thumbnail cells with one, two and more visits. */
const opacities = [0.3, 0.55, 0.85];

/** The picture for rows of a list: three paths instead of an element per cell. */
export function RandomartThumbnail({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const paths = opacities.map(() => '');
  for (const { x, y, visits } of visitedCells(fingerprint)) {
    paths[Math.min(visits, opacities.length) - 1] += `M${x} ${y}h1v1h-1z`;
  }
  return (
    <svg
      className={`${basics.box} ${styles.thumbnail}`}
      aria-hidden="true"
      viewBox={`0 0 ${RANDOMART_COLUMNS} ${RANDOMART_ROWS}`}
    >
      {paths.map((path, index) => (
        <path key={opacities[index]} className={styles.cell} opacity={opacities[index]} d={path} />
      ))}
    </svg>
  );
}

function visitedCells(fingerprint: Fingerprint): { x: number; y: number; visits: number }[] {
  return computeRandomart(digestOf(fingerprint))
    .flatMap((row, y) => [...row].map((symbol, x) => ({ x, y, visits: RANDOMART_ALPHABET.indexOf(symbol) })))
    .filter(({ visits }) => visits > 0);
}
