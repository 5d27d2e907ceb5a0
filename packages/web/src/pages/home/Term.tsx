// A word of the registry, linked to its explanation.

import type { ReactNode } from 'preact/compat';
import { Link } from '../../ui/text/Link.js';
import * as styles from './Term.module.css';

export type TermName = 'fingerprint' | 'mark' | 'artifact' | 'chain' | 'manifest';

export function Term({ name, children }: { readonly name: TermName; readonly children: ReactNode }) {
  return (
    <Link to={`/how-it-works#${name}`} className={styles.term} isCurrent={false}>
      {children}
    </Link>
  );
}
