// The public log for people: its size and key, its newest leaves and its growth, and how to check it without this page.

import { LogFormatError, LogProofError } from '@provenance-registry/log';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/log/log';
import { useRegistryClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { Notice } from '../../ui/feedback/Notice.js';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { PrintedFrom } from '../../ui/layout/PrintedFrom.js';
import { CopyableCode } from '../../ui/text/CopyableCode.js';
import { CopyButton } from '../../ui/text/CopyButton.js';
import { ShortFingerprint } from '../../ui/text/FingerprintText.js';
import { formatAge, formatNumber } from '../../ui/text/format.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { CheckState } from '../verify/CheckState.js';
import { useOwnSources } from '../verify/ownSources.js';
import { Growth } from './Growth.js';
import * as styles from './LogPage.module.css';
import { type PublicLog, readPublicLog } from './publicLog.js';

export function LogPage() {
  useTitle(texts.title);
  const client = useRegistryClient();
  const own = useOwnSources();
  const load = useCallback(
    (signal: AbortSignal) => readPublicLog(client, own, signal).then(toResult, toProblem),
    [client, own],
  );
  const query = useQuery(load);
  return (
    <div className={basics.stack}>
      <header>
        <h1>{texts.title}</h1>
        <p className={basics.lead}>{texts.lead}</p>
        <PrintedFrom />
      </header>
      <QueryView query={query} what={texts.reading}>
        {({ log, problem }) => (
          <>
            {problem !== undefined && <Problem problem={problem} />}
            {log && <LogView log={log} />}
            {!log && problem === undefined && <Notice tone="info" title={texts.noLog} />}
          </>
        )}
      </QueryView>
      <Lines title={texts.what} lines={texts.whatLines} />
      <Lines title={texts.proves} lines={texts.provesLines} />
      <p>
        {texts.docs((text) => (
          <a href="/docs/receipts">{text}</a>
        ))}
      </p>
    </div>
  );
}

interface Result {
  readonly log?: PublicLog | undefined;
  /** Why the log cannot be relied on. */
  readonly problem?: string;
}

function toResult(log: PublicLog | undefined): Result {
  return { log };
}

function toProblem(error: unknown): Result {
  if (error instanceof LogProofError || error instanceof LogFormatError) return { problem: error.message };
  throw error;
}

function Problem({ problem }: { readonly problem: string }) {
  return (
    <Notice tone="bad" title={texts.failed}>
      <p>
        <bdi>{problem}</bdi>
      </p>
      <p>{texts.failedText}</p>
    </Notice>
  );
}

function LogView({ log }: { readonly log: PublicLog }) {
  const { checkpoint, note, key, keyFrom, witnesses, anchor, newest, growth } = log;
  return (
    <>
      <Card title={texts.now}>
        <dl className={factStyles.facts}>
          <Fact name={texts.size}>
            <strong>{formatNumber(checkpoint.size)}</strong>
          </Fact>
          <Fact name={texts.origin}>
            <bdi>{checkpoint.origin}</bdi>
          </Fact>
          <Fact name={texts.key}>
            <CopyableCode text={key} what={texts.copyKey} />
          </Fact>
          {witnesses.map(({ name, signedAt }) => (
            <Fact key={name} name={texts.cosignedBy}>
              {signedAt === undefined
                ? texts.notCosigned(<bdi>{name}</bdi>)
                : texts.cosignedAgo(<bdi>{name}</bdi>, <Timestamp at={signedAt} />, formatAge(signedAt))}
            </Fact>
          ))}
          {anchor && (
            <Fact name={texts.lastAnchor}>
              {texts.anchoredAgo(
                formatNumber(anchor.size),
                formatNumber(anchor.blockNumber),
                <Timestamp at={anchor.blockTime} />,
                formatAge(anchor.blockTime),
              )}
              <p className={basics.quiet}>{texts.anchorIsStated}</p>
            </Fact>
          )}
          <Fact name={texts.checks}>
            <CheckState check={{ state: keyFrom === 'caller' ? 'confirmed' : 'agrees' }} />
            <p className={basics.quiet}>
              {texts.checked} {keyFrom === 'caller' ? texts.keyIsYours : texts.keyIsStated}
            </p>
          </Fact>
        </dl>
      </Card>
      <Card title={texts.growth}>
        <Growth points={growth} />
      </Card>
      <Card title={texts.newest}>
        <ol className={`${basics.list} ${styles.leaves}`}>
          {newest.map((one) => (
            <LeafLine key={one.index} {...one} />
          ))}
        </ol>
      </Card>
      <Card title={texts.checkpoint}>
        <p>{texts.checkpointText}</p>
        <Code text={note} what={texts.copyCheckpoint} />
      </Card>
      <DoItYourself logKey={key} />
    </>
  );
}

function LeafLine({ index, leaf }: PublicLog['newest'][number]) {
  const fingerprint = leaf && 'fingerprint' in leaf.content ? leaf.content.fingerprint : undefined;
  return (
    <li>
      <span className={basics.quiet}>{texts.leafNumber(formatNumber(index))}</span>
      <span>{leaf ? texts.kinds[leaf.kind] : texts.unknownKind}</span>
      {fingerprint && (
        <Link to={`/artifacts/${fingerprint}`}>
          <ShortFingerprint fingerprint={fingerprint} />
        </Link>
      )}
      {leaf && <Timestamp at={leaf.content.time} />}
    </li>
  );
}

function DoItYourself({ logKey }: { readonly logKey: string }) {
  const commands = texts.commandLines(logKey, `${location.origin}/log/`).join('\n');
  return (
    <Card title={texts.doItYourself}>
      <p>{texts.doItYourselfText}</p>
      <Code text={commands} what={texts.commands} />
      <p className={basics.quiet}>{texts.expected}</p>
    </Card>
  );
}

function Code({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <>
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} />
    </>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <Card title={title}>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Card>
  );
}
