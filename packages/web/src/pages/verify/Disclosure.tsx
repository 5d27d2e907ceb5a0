// A part of a result that can be closed.

import { type ReactNode, useState } from 'preact/compat';
import * as basics from '../../ui/layout/basics.module.css';
import * as styles from './Disclosure.module.css';

interface DisclosureProps {
  readonly title: string;
  /** Whether it is open until the user opens or closes it. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

export function Disclosure({ title, isOpen = false, children }: DisclosureProps) {
  const [chosen, setChosen] = useState<boolean>();
  return (
    <details
      className={styles.disclosure}
      open={chosen ?? isOpen}
      // Also when it is opened by its property.
      onToggle={({ currentTarget }) => setChosen(currentTarget.open)}
    >
      <summary>
        <h3>{title}</h3>
      </summary>
      <div className={`${basics.stack} ${styles.content}`}>{children}</div>
    </details>
  );
}
