// The receipt of the file that was registered last, as soon as the public log has it.

import { useCallback } from 'preact/compat';
import * as texts from '#texts/artifacts/register';
import * as basics from '../../../ui/layout/basics.module.css';
import { LogFacts } from '../../artifact/LogFacts.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { isAwaitingChain, type QueueRow } from './queueRow.js';

export function LastReceipt({ rows }: { readonly rows: readonly QueueRow[] }) {
  const { client } = useAccount();
  const row = rows.findLast((one) => one.state === 'submitted' || isAwaitingChain(one));
  const fingerprint = row?.fingerprint;
  const load = useCallback(
    async (signal: AbortSignal) => (fingerprint ? client.getArtifact({ fingerprint }, { signal }) : undefined),
    [client, fingerprint],
  );
  const { value: artifact } = useAuthedQuery(load);
  if (!row || !fingerprint || artifact?.fingerprint !== fingerprint) return null;
  return (
    <div>
      <LogFacts artifact={artifact} fingerprint={fingerprint} />
      <p className={basics.quiet}>{texts.lastReceipt(<bdi>{row.filename}</bdi>)}</p>
    </div>
  );
}
