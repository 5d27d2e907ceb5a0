// A link, a key or a code that is shown once, to be copied.

import type { ReactNode } from 'preact/compat';
import * as styles from './Secret.module.css';

export function Secret({ children }: { readonly children: ReactNode }) {
  return (
    <code className={styles.secret} data-secret>
      {children}
    </code>
  );
}
