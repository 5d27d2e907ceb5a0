// A QR code, dark on light in every theme: some apps cannot read the inverse.

import { encode } from 'uqr';
import * as styles from './QrCode.module.css';

interface QrCodeProps {
  readonly text: string;
  /** Text for screen readers. */
  readonly label: string;
}

export function QrCode({ text, label }: QrCodeProps) {
  // The standard asks for a margin of four modules.
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className={styles.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
