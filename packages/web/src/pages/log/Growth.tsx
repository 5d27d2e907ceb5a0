// The growth of the log as a line. The words below say the same.

import * as texts from '#texts/log/log';
import * as basics from '../../ui/layout/basics.module.css';
import { formatNumber } from '../../ui/text/format.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import * as styles from './Growth.module.css';
import type { GrowthPoint } from './publicLog.js';

const WIDTH = 640;
const HEIGHT = 180;
/** Half of the line. */
const MARGIN = 2;
const DAY_MS = 86_400_000;

export function Growth({ points }: { readonly points: readonly GrowthPoint[] }) {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || first.time === last.time) return <p>{texts.tooFew}</p>;
  const [from, to] = [toDay(first.time), toDay(last.time)];
  const isLong = last.time - first.time > 2 * DAY_MS;
  return (
    <figure className={styles.growth}>
      <p className={`${basics.quiet} ${styles.top}`}>{texts.growthTop(formatNumber(last.size))}</p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.growthLabel(formatNumber(last.size), from, to)}
      >
        <path d={`${drawLine(points, first.time, last)} V${HEIGHT} H0 Z`} className={styles.area} />
        <path d={drawLine(points, first.time, last)} className={styles.line} />
      </svg>
      <figcaption>
        <span className={`${basics.spread} ${basics.quiet}`}>
          <Timestamp at={new Date(first.time).toISOString()} isDayOnly={isLong} />
          <Timestamp at={new Date(last.time).toISOString()} isDayOnly={isLong} />
        </span>
        <p className={basics.quiet}>{texts.growthNote}</p>
      </figcaption>
    </figure>
  );
}

/** From the lower left to the upper right, in steps: a leaf comes at once. */
function drawLine(points: readonly GrowthPoint[], start: number, last: GrowthPoint): string {
  const x = (time: number) => (((time - start) / (last.time - start)) * WIDTH).toFixed(1);
  const y = (size: number) => (HEIGHT - MARGIN - (size / last.size) * (HEIGHT - 2 * MARGIN)).toFixed(1);
  return `M0 ${HEIGHT - MARGIN} ${points.map(({ time, size }) => `H${x(time)} V${y(size)}`).join(' ')}`;
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
