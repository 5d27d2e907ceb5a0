// One file of a contact sheet.

import { type Artifact, escapeHidden, type Fingerprint, kindNames } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/contactSheet';
import { language } from '#texts/site/format';
import { QrCode } from '../../ui/artifact/QrCode.js';
import { RandomartThumbnail } from '../../ui/artifact/Randomart.js';
import { Badge, contestedDisplay, StatusBadge } from '../../ui/feedback/StatusBadge.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Link } from '../../ui/text/Link.js';
import * as styles from './SheetCard.module.css';

/** `unknown`: the service has no such file. `error`: it could not be read. */
export type SheetEntry = Artifact | 'loading' | 'unknown' | 'error';

const utcFormat = new Intl.DateTimeFormat(language, {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

interface SheetCardProps {
  readonly fingerprint: Fingerprint;
  readonly entry: SheetEntry;
  /** A picture on this device. */
  readonly picture: string | undefined;
}

export function SheetCard({ fingerprint, entry, picture }: SheetCardProps) {
  const path = `/artifacts/${fingerprint}`;
  const name = typeof entry === 'object' ? nameOf(entry) : shorten(fingerprint);
  return (
    <li className={`${basics.box} ${styles.card}`}>
      <div className={styles.picture}>
        {picture === undefined ? (
          <RandomartThumbnail fingerprint={fingerprint} />
        ) : (
          <img src={picture} alt={texts.pictureOf(name)} />
        )}
      </div>
      <div className={styles.facts}>
        <h2 className={`${basics.twoLines} ${styles.name}`}>
          <Link to={path}>
            <bdi>{name}</bdi>
          </Link>
        </h2>
        <EntryFacts entry={entry} />
      </div>
      <QrCode text={location.origin + path} label={texts.qrLabel(name)} />
      <p className={styles.link}>
        <Link to={path}>
          <span className={styles.short}>
            {location.host}/artifacts/{shorten(fingerprint)}
          </span>
          {/* On paper, nothing can be clicked. */}
          <span className={styles.full}>
            {location.host}
            {path}
          </span>
        </Link>
      </p>
    </li>
  );
}

function EntryFacts({ entry }: { readonly entry: SheetEntry }) {
  if (entry === 'loading') return <p className={basics.quiet}>…</p>;
  if (entry === 'unknown') {
    return (
      <>
        <Badge tone="warn" icon="question" label={texts.unknownFile} />
        <p>{texts.unknownSentence}</p>
      </>
    );
  }
  if (entry === 'error') return <Badge tone="bad" icon="cross" label={texts.failedToLoad} />;
  const { mark, createdAt, status, claims } = entry;
  return (
    <>
      <p className={styles.badges}>
        <StatusBadge status={status} />
        {claims.contested && <Badge {...contestedDisplay} label={texts.contested} />}
      </p>
      {'name' in mark ? (
        <p className={basics.twoLines}>
          {texts.underMark(
            <Link to={`/marks/${mark.id}`}>
              <bdi>{mark.name}</bdi>
            </Link>,
          )}
        </p>
      ) : (
        <p>{texts.privateSentence}</p>
      )}
      <p>{texts.registeredAt(<UtcTime at={createdAt} />)}</p>
    </>
  );
}

/** Sheets are read in other zones than they were printed in. */
function UtcTime({ at }: { readonly at: string }) {
  return <time dateTime={at}>{`${utcFormat.format(new Date(at))} UTC`}</time>;
}

function nameOf({ metadata, mark }: Artifact): string {
  if (metadata.filename !== undefined) return escapeHidden(metadata.filename);
  return 'name' in mark ? kindNames[metadata.kind] : texts.privateFile;
}

function shorten(fingerprint: Fingerprint): string {
  return `${fingerprint.slice(0, 8)}…${fingerprint.slice(-6)}`;
}
