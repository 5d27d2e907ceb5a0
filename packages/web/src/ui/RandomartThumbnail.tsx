// A small randomart for rows of a list: three paths instead of an element per cell.

import {
  computeRandomart,
  digestOf,
  type Fingerprint,
  RANDOMART_ALPHABET,
  RANDOMART_COLUMNS,
  RANDOMART_ROWS,
} from '@provenance-registry/core';
import './randomart.css';

/** Opacity of cells with one, two and more visits. */
const opacities = [0.3, 0.55, 0.85];

export function RandomartThumbnail({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const paths = opacities.map(() => '');
  for (const [y, row] of computeRandomart(digestOf(fingerprint)).entries()) {
    for (const [x, symbol] of [...row].entries()) {
      const visits = RANDOMART_ALPHABET.indexOf(symbol);
      if (visits > 0) paths[Math.min(visits, opacities.length) - 1] += `M${x} ${y}h1v1h-1z`;
    }
  }
  return (
    <svg className="randomart-thumbnail" aria-hidden="true" viewBox={`0 0 ${RANDOMART_COLUMNS} ${RANDOMART_ROWS}`}>
      {paths.map((path, index) => (
        <path key={opacities[index]} className="randomart-cell" opacity={opacities[index]} d={path} />
      ))}
    </svg>
  );
}
