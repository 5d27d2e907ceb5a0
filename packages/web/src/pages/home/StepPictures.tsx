// The drawings of the three steps. Decorative: the text beside each says the same.

import type { ReactNode } from 'preact/compat';
import * as styles from './StepPictures.module.css';

function Picture({ children }: { readonly children: ReactNode }) {
  return (
    <svg className={styles.picture} viewBox="0 0 160 96" aria-hidden="true">
      {children}
    </svg>
  );
}

/** The loops of the logo. */
const LOOPS = 'M0 17V9.5a9.5 9.5 0 0 1 19 0V12M6 20V9.5a3.5 3.5 0 0 1 7 0V14';

/** A file stays in the browser's window, and becomes a fingerprint. */
export function HashPicture() {
  return (
    <Picture>
      <rect className={styles.fill} x="10" y="8" width="140" height="80" rx="8" />
      <path className={styles.line} d="M10 24h140" />
      <path className={styles.dots} d="M20 16h0M29 16h0M38 16h0" />
      <path className={styles.paper} d="M28 34h22l10 10v34H28z" />
      <path className={styles.line} d="M50 34v10h10M35 54h18M35 62h18M35 70h11" />
      <path className={styles.accent} d="M70 56h18m-6-6 6 6-6 6" />
      <path className={styles.accent} transform="translate(101 38) scale(1.7)" d={LOOPS} />
    </Picture>
  );
}

/** A tag with a name, tied to the last of three blocks. */
export function RegisterPicture() {
  return (
    <Picture>
      <path className={styles.line} d="M42 68h14M84 68h14" />
      <rect className={styles.fill} x="14" y="54" width="28" height="28" rx="5" />
      <rect className={styles.fill} x="56" y="54" width="28" height="28" rx="5" />
      <rect className={styles.strong} x="98" y="54" width="28" height="28" rx="5" />
      <path className={styles.accent} d="m105.5 68 4.5 5 8.5-10" />
      <path className={styles.paper} d="M52 10h70a5 5 0 0 1 5 5v20a5 5 0 0 1-5 5H52L38 25z" />
      <path className={styles.dots} d="M53 25h0" />
      <path className={styles.line} d="M66 21h46M66 30h30" />
      <path className={styles.accent} d="M112 40v14" />
    </Picture>
  );
}

/** The same file under a magnifier, with a check mark. */
export function CheckPicture() {
  return (
    <Picture>
      <path className={styles.paper} d="M34 10h34l14 14v62H34z" />
      <path className={styles.line} d="M68 10v14h14M44 36h28M44 46h20M44 56h16M44 66h16" />
      <circle className={styles.strong} cx="92" cy="56" r="22" />
      <path className={styles.accent} d="m82 56 7 8 14-16" />
      <path className={styles.handle} d="m108.5 72.5 15 15" />
    </Picture>
  );
}
