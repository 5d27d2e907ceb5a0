// Icons. They always accompany text and are hidden from screen readers.

import * as styles from './Icon.module.css';

const paths = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6.5 6.5l11 11m0-11l-11 11',
  warning: 'M12 4L2.5 20h19zM12 10v4.5m0 2.6v.1',
  info: 'M12 21a9 9 0 100-18 9 9 0 000 18zm0-10v5.5m0-8.6v.1',
  question: 'M12 21a9 9 0 100-18 9 9 0 000 18zM9.3 9.6c.2-3.3 5.4-3 5.4 0 0 2-2.7 2.1-2.7 4.1m0 2.7v.1',
  clock: 'M12 21a9 9 0 100-18 9 9 0 000 18zm0-14v5l3.5 2.5',
  file: 'M6 3h8l4 4v14H6zm8 0v4h4',
  copy: 'M9 9h11v11H9zM15 5V4H4v11h1',
  lock: 'M6 11h12v9H6zm2.5 0V7.5a3.5 3.5 0 017 0V11',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
