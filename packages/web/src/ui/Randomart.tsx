// The randomart of a fingerprint, as OpenSSH draws it: different fingerprints look different at a glance.

import {
  computeRandomart,
  digestOf,
  type Fingerprint,
  RANDOMART_ALPHABET,
  RANDOMART_COLUMNS,
  RANDOMART_ROWS,
} from '@provenance-registry/core';
import './randomart.css';

const CELL = 10;

export function Randomart({ fingerprint }: { fingerprint: Fingerprint }) {
  const rows = computeRandomart(digestOf(fingerprint));
  const cells = rows.flatMap((row, y) =>
    [...row].map((symbol, x) => ({ x, y, visits: RANDOMART_ALPHABET.indexOf(symbol) })),
  );
  return (
    <svg
      className="randomart"
      role="img"
      aria-label={`Randomart of the fingerprint ${fingerprint.slice(0, 10)}…`}
      viewBox={`${-CELL} ${-CELL} ${(RANDOMART_COLUMNS + 2) * CELL} ${(RANDOMART_ROWS + 2) * CELL}`}
    >
      {cells
        .filter(({ visits }) => visits > 0)
        .map(({ x, y, visits }) => (
          <rect
            key={`${x},${y}`}
            className={visits >= RANDOMART_ALPHABET.length - 2 ? 'randomart-end' : 'randomart-cell'}
            x={x * CELL}
            y={y * CELL}
            width={CELL}
            height={CELL}
            opacity={Math.min(1, 0.25 + visits * 0.13)}
          />
        ))}
    </svg>
  );
}
