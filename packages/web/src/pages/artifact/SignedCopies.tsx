// The signed copies of an Artifact, and a way to get one for users with write access to its Mark.

import { type Artifact, type Fingerprint, MAX_RENDITIONS } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/artifactCopies';
import { useRegistryClient } from '../../registryClient.js';
import { describeCopyError, requestSignedCopy } from '../../signedCopyRequest.js';
import { COPY_FORMATS, canHoldManifest, copyName } from '../../ui/artifact/signedCopies.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { useQuery } from '../../ui/feedback/query.js';
import { StatusBadge } from '../../ui/feedback/StatusBadge.js';
import { FileChooser } from '../../ui/file/FileChooser.js';
import { saveFile } from '../../ui/file/saveFile.js';
import { type PickedFile, useFileDrop } from '../../ui/file/useFileDrop.js';
import { Button } from '../../ui/form/Button.js';
import { useAction } from '../../ui/form/useAction.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { CopyableCode } from '../../ui/text/CopyableCode.js';
import { FingerprintText } from '../../ui/text/FingerprintText.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import * as styles from './SignedCopies.module.css';

interface SignedCopiesProps {
  readonly artifact: Artifact;
  /** The fingerprint that the page was opened with. */
  readonly fingerprint: Fingerprint;
  /** Loads the Artifact again. */
  readonly onCreated: () => void;
}

/** Nothing when there is no copy and the visitor cannot get one. */
export function SignedCopies({ artifact, fingerprint, onCreated }: SignedCopiesProps) {
  const { renditions } = artifact;
  const mayCreate = useMayCreate(artifact);
  if (renditions.length === 0 && !mayCreate) return null;
  return (
    <Card title={texts.title}>
      <p className={basics.quiet}>{renditions.length === 0 ? texts.none : texts.some}</p>
      {renditions.length > 0 && (
        <ol className={`${basics.list} ${styles.copies}`}>
          {renditions.map((rendition) => (
            <li key={rendition.fingerprint}>
              <dl className={factStyles.facts}>
                <Fact name={texts.fingerprint}>
                  <FingerprintText fingerprint={rendition.fingerprint} />{' '}
                  <Link to={`/#fingerprint=${rendition.fingerprint}`}>{texts.verify}</Link>
                  {rendition.fingerprint === fingerprint && <strong> {texts.thisCopy}</strong>}
                </Fact>
                <Fact name={texts.signed}>
                  <Timestamp at={rendition.createdAt} />
                </Fact>
                <Fact name={texts.status}>
                  <StatusBadge status={rendition.status} />
                </Fact>
                {rendition.transactionHash !== null && (
                  <Fact name={texts.transaction}>
                    <CopyableCode text={rendition.transactionHash} what={texts.copyTransaction} />
                  </Fact>
                )}
              </dl>
            </li>
          ))}
        </ol>
      )}
      {mayCreate && <CopyForm artifact={artifact} onCreated={onCreated} />}
    </Card>
  );
}

/**
 * Whether the user may create copies: of images, with write access. Loads the user's Marks only where a copy can be made
 * at all.
 */
function useMayCreate({ status, mark, metadata }: Artifact): boolean {
  const client = useRegistryClient();
  const { filename = '', mediaType, size } = metadata;
  const isPossible =
    client.hasCredential &&
    status !== 'failed' &&
    // The size may be unknown; the service then decides.
    canHoldManifest({ filename, mediaType: mediaType ?? undefined, size: size ?? 0 });
  const load = useCallback(
    async (signal: AbortSignal) => (isPossible ? client.listMarks({ signal }) : []),
    [client, isPossible],
  );
  // What cannot be read, as with an expired session, is not offered.
  const { value = [] } = useQuery(load);
  return isPossible && value.some(({ id }) => id === mark.id);
}

function CopyForm({ artifact, onCreated }: Pick<SignedCopiesProps, 'artifact' | 'onCreated'>) {
  const client = useRegistryClient();
  const { fingerprint, renditions } = artifact;
  const [copy, setCopy] = useState<{ content: Blob; name: string }>();
  const { isBusy, error, run } = useAction(async (file: File) => {
    const created = { content: await requestSignedCopy(client, fingerprint, file), name: copyName(file.name) };
    saveFile(created.content, created.name);
    setCopy(created);
    announce(texts.downloadedAnnouncement);
    onCreated();
  });
  const left = MAX_RENDITIONS - renditions.length;
  const onPicked = ([picked]: readonly PickedFile[]) => {
    if (picked && left > 0) void run(picked.file);
  };
  const isDragging = useFileDrop(onPicked);
  return (
    <div className={`${basics.noPrint} ${basics.stack}`}>
      {error !== undefined && (
        <Notice tone="bad" isAlert title={texts.failed}>
          <p>{describeCopyError(error)}</p>
        </Notice>
      )}
      {copy && (
        <Notice
          tone="good"
          title={texts.downloaded}
          actions={<Button onClick={() => saveFile(copy.content, copy.name)}>{texts.downloadAgain}</Button>}
        >
          <p>{texts.keep(<bdi>{copy.name}</bdi>)}</p>
        </Notice>
      )}
      {left > 0 ? (
        <div className={`${basics.dropZone} ${styles.drop}`} data-dragging={isDragging || undefined}>
          <p>{texts.offer(left, MAX_RENDITIONS, COPY_FORMATS)}</p>
          {isBusy ? (
            <p role="status">{texts.working}</p>
          ) : (
            <FileChooser label={texts.choose} isSingle onFiles={onPicked} />
          )}
        </div>
      ) : (
        <p className={basics.quiet}>{texts.full(MAX_RENDITIONS)}</p>
      )}
    </div>
  );
}
