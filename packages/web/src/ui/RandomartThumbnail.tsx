// The face of a fingerprint in a row of a list: small, and cheap enough for many.

import {
  computeRandomart,
  digestOf,
  type Fingerprint,
  RANDOMART_ALPHABET,
  RANDOMART_COLUMNS,
  RANDOMART_ROWS,
} from '@provenance-registry/core';

/** From rarely visited to often; start and end are the last. */
const shades = [0.3, 0.55, 0.85];

export function BishopThumb({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const paths = shades.map(() => '');
  for (const [y, row] of computeRandomart(digestOf(fingerprint)).entries()) {
    for (const [x, mark] of [...row].entries()) {
      const visits = RANDOMART_ALPHABET.indexOf(mark);
      if (visits > 0) paths[Math.min(visits, shades.length) - 1] += `M${x} ${y}h1v1h-1z`;
    }
  }
  return (
    <svg className="entry-face" aria-hidden="true" viewBox={`0 0 ${RANDOMART_COLUMNS} ${RANDOMART_ROWS}`}>
      {paths.map((path, index) => (
        <path key={shades[index]} className="bishop-square" opacity={shades[index]} d={path} />
      ))}
    </svg>
  );
}
