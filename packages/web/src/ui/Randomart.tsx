// The face of a fingerprint: the drunken bishop, drawn so that two can be told apart at a glance.

import {
  computeRandomart,
  digestOf,
  type Fingerprint,
  RANDOMART_ALPHABET,
  RANDOMART_COLUMNS,
  RANDOMART_ROWS,
} from '@provenance-registry/core';

const SQUARE = 10;

export function Bishop({ fingerprint }: { fingerprint: Fingerprint }) {
  const rows = computeRandomart(digestOf(fingerprint));
  const squares = rows.flatMap((row, y) =>
    [...row].map((mark, x) => ({ x, y, visits: RANDOMART_ALPHABET.indexOf(mark) })),
  );
  return (
    <svg
      className="bishop"
      role="img"
      aria-label={`The picture of the fingerprint ${fingerprint.slice(0, 10)}…`}
      viewBox={`${-SQUARE} ${-SQUARE} ${(RANDOMART_COLUMNS + 2) * SQUARE} ${(RANDOMART_ROWS + 2) * SQUARE}`}
    >
      {squares
        .filter(({ visits }) => visits > 0)
        .map(({ x, y, visits }) => (
          <rect
            key={`${x},${y}`}
            className={visits >= RANDOMART_ALPHABET.length - 2 ? 'bishop-end' : 'bishop-square'}
            x={x * SQUARE}
            y={y * SQUARE}
            width={SQUARE}
            height={SQUARE}
            opacity={Math.min(1, 0.25 + visits * 0.13)}
          />
        ))}
    </svg>
  );
}
