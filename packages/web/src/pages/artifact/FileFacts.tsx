// The facts of the file itself.

import { type Artifact, kindNames } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/artifact';
import { describeSourceType, toSentenceCase } from '../../ui/artifact/sourceTypes.js';
import { Fact } from '../../ui/facts/Fact.js';
import { FingerprintText, ShortFingerprint } from '../../ui/text/FingerprintText.js';
import { formatSize } from '../../ui/text/format.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';

export function FileFacts({ artifact: { fingerprint, metadata } }: { readonly artifact: Artifact }) {
  const { kind, mediaType, size, lastModified, previousFingerprint, digitalSourceType } = metadata;
  const typeParts = [kindNames[kind], mediaType, size === undefined || size === null ? undefined : formatSize(size)];
  return (
    <>
      <Fact name={texts.fileType}>
        <bdi>{typeParts.filter((part) => part).join(', ')}</bdi>
      </Fact>
      {lastModified !== undefined && (
        <Fact name={texts.lastModified}>{texts.asStated(<Timestamp at={lastModified} />)}</Fact>
      )}
      {digitalSourceType !== undefined && (
        <Fact name={texts.howMade}>{texts.asStated(toSentenceCase(describeSourceType(digitalSourceType)))}</Fact>
      )}
      {previousFingerprint !== undefined && (
        <Fact name={texts.previousVersion}>
          <Link to={`/artifacts/${previousFingerprint}`}>
            <ShortFingerprint fingerprint={previousFingerprint} />
          </Link>
        </Fact>
      )}
      <Fact name={texts.fingerprint}>
        <FingerprintText fingerprint={fingerprint} />
      </Fact>
    </>
  );
}
