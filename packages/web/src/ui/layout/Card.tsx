// A bordered section of a page.

import { type ReactNode, useId } from 'preact/compat';
import * as basics from './basics.module.css';
import * as styles from './Card.module.css';

interface CardProps {
  readonly title?: ReactNode;
  /** Heading level. */
  readonly level?: 2 | 3 | undefined;
  readonly children: ReactNode;
}

export function Card({ title, level = 2, children }: CardProps) {
  const id = useId();
  if (title === undefined) return <div className={styles.card}>{children}</div>;
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section className={styles.card} aria-labelledby={id}>
      <Heading id={id} className={basics.clip}>
        {title}
      </Heading>
      {children}
    </section>
  );
}
