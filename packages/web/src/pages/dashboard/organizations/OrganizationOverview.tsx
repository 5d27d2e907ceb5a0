// The overview of an organization: totals, registrations per day, counts by member and by Mark.

import type { MemberCounts, Organization, OrganizationOverview as Overview } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/organizations/organizationOverview';
import { language } from '#texts/site/format';
import { Notice } from '../../../ui/feedback/Notice.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { formatNumber } from '../../../ui/text/format.js';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import * as styles from './OrganizationOverview.module.css';

interface OverviewProps {
  readonly organization: Organization;
  readonly memberCount: number;
  readonly overview: Overview;
}

export function OrganizationOverview({ organization, memberCount, overview }: OverviewProps) {
  const { artifacts, openClaims, byMember, byMark } = overview;
  const { used, total } = organization.usageUnits;
  return (
    <>
      <Card title={texts.title}>
        <dl className={styles.main}>
          <Total name={texts.total} value={formatNumber(artifacts.total)} />
          <Total name={texts.today} value={formatNumber(artifacts.today)} />
          <Total name={texts.last30Days} value={formatNumber(artifacts.last30Days)} />
        </dl>
        <dl className={styles.totals}>
          <Total name={texts.onChain} value={formatNumber(artifacts.onChain)} />
          <Total name={texts.inProgress} value={formatNumber(artifacts.inProgress)} />
          <Total name={texts.failed} value={formatNumber(artifacts.failed)} />
          <Total name={texts.marks} value={formatNumber(overview.marks)} />
          <Total name={texts.members} value={formatNumber(memberCount)} />
          <Total name={texts.usageUnits} value={texts.usedOfTotal(used, total)} />
          <Total name={texts.openClaims} value={formatNumber(openClaims)} />
        </dl>
        {artifacts.failed > 0 && <p className={basics.quiet}>{texts.failedHint(artifacts.failed)}</p>}
        {openClaims > 0 && (
          <Notice tone="warn" actions={<Link to="/dashboard/claims">{texts.viewClaims}</Link>}>
            <p>{texts.openClaimsHint(openClaims)}</p>
          </Notice>
        )}
        <DayChart days={overview.days} />
      </Card>
      {byMember && (
        <Card title={texts.byMember}>
          <MemberTable counts={byMember} />
        </Card>
      )}
      {byMark.length > 0 && (
        <Card title={texts.byMark}>
          <MarkTable marks={byMark} />
          {byMark.length < overview.marks && <p className={basics.quiet}>{texts.moreMarks(byMark.length)}</p>}
        </Card>
      )}
    </>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The service counts UTC days. */
const dayFormat = new Intl.DateTimeFormat(language, { month: 'long', day: 'numeric', timeZone: 'UTC' });
const formatDay = (date: string) => dayFormat.format(new Date(`${date}T00:00:00Z`));

const BAR_WIDTH = 10;
const GAP = 3;
const HEIGHT = 60;
/** A day without registrations is a line, so that the days can be counted. */
const MIN_HEIGHT = 1;

function DayChart({ days }: Pick<Overview, 'days'>) {
  const most = days.reduce((best, day) => (day.artifacts > best.artifacts ? day : best), { date: '', artifacts: 0 });
  const count = days.reduce((sum, { artifacts }) => sum + artifacts, 0);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const summary = texts.chartSummary(count, most.artifacts, most.date && formatDay(most.date));
  const width = days.length * (BAR_WIDTH + GAP) - GAP;
  return (
    <figure className={styles.chart}>
      <figcaption>
        <h3>{texts.perDay}</h3>
        <p className={basics.quiet}>{summary}</p>
      </figcaption>
      {/* The summary and the table say the same in words. */}
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map(({ date, artifacts }, index) => {
          const height = Math.max(MIN_HEIGHT, (artifacts / Math.max(1, most.artifacts)) * HEIGHT);
          const x = index * (BAR_WIDTH + GAP);
          return (
            <g key={date}>
              {/* Over the whole height, so that short bars have a tooltip too. */}
              <rect className={styles.space} x={x} y={0} width={BAR_WIDTH} height={HEIGHT} />
              <rect
                className={artifacts > 0 ? styles.bar : styles.none}
                x={x}
                y={HEIGHT - height}
                width={BAR_WIDTH}
                height={height}
              />
              <title>{texts.dayCount(formatDay(date), artifacts)}</title>
            </g>
          );
        })}
      </svg>
      <div className={`${basics.small} ${styles.axis}`} aria-hidden="true">
        <span>{formatDay(first.date)}</span>
        <span>{formatDay(last.date)}</span>
      </div>
      <details>
        <summary>{texts.showTable}</summary>
        <table className={styles.counts}>
          <thead>
            <tr>
              <th scope="col">{texts.utcDay}</th>
              <th scope="col" className={styles.count}>
                {texts.artifacts}
              </th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ date, artifacts }) => (
              <tr key={date}>
                <th scope="row">{formatDay(date)}</th>
                <td className={styles.count}>{formatNumber(artifacts)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function MemberTable({ counts: { members, markMembers, formerMembers } }: { readonly counts: MemberCounts }) {
  return (
    <>
      <p className={basics.quiet}>{texts.byMemberHint}</p>
      <CountTable names={[texts.member, texts.lastActive]}>
        {members.map(({ id, name, artifacts, lastActiveAt }) => (
          <CountRow key={id} name={<bdi>{name}</bdi>} artifacts={artifacts} at={lastActiveAt} />
        ))}
        {markMembers.users > 0 && (
          <CountRow name={texts.markMembers(markMembers.users)} artifacts={markMembers.artifacts} />
        )}
        {formerMembers.users > 0 && (
          <CountRow name={texts.formerMembers(formerMembers.users)} artifacts={formerMembers.artifacts} />
        )}
      </CountTable>
    </>
  );
}

function MarkTable({ marks }: { readonly marks: Overview['byMark'] }) {
  return (
    <CountTable names={[texts.mark, texts.lastRegistered]}>
      {marks.map(({ id, name, artifacts, lastRegisteredAt }) => (
        <CountRow
          key={id}
          name={
            <Link to={`/marks/${id}`}>
              <bdi>{name}</bdi>
            </Link>
          }
          artifacts={artifacts}
          at={lastRegisteredAt}
        />
      ))}
    </CountTable>
  );
}

interface CountTableProps {
  /** Labels of the first and the last column. */
  readonly names: readonly [string, string];
  readonly children: ReactNode;
}

function CountTable({ names: [first, last], children }: CountTableProps) {
  return (
    <table className={styles.counts}>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col" className={styles.count}>
            {texts.artifacts}
          </th>
          <th scope="col">{last}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** A row without `at` is a group, of which no time is known. */
function CountRow({ name, artifacts, at }: { name: ReactNode; artifacts: number; at?: string | null }) {
  return (
    <tr>
      <th scope="row">
        <span className={`${basics.twoLines} ${styles.name}`}>{name}</span>
      </th>
      <td className={styles.count}>{formatNumber(artifacts)}</td>
      <td>
        {at === null && texts.never}
        {typeof at === 'string' && <Timestamp at={at} isDayOnly />}
      </td>
    </tr>
  );
}
