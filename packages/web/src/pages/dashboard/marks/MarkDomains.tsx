// The domains of a Mark: claimed, with the record that proves them, checked and removed.

import { MAX_DOMAINS, type MarkDomain } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/marks/domains';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { Badge, type BadgeProps } from '../../../ui/feedback/StatusBadge.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmButton } from '../../../ui/form/Dialog.js';
import { Form, TextField } from '../../../ui/form/Form.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { CopyButton } from '../../../ui/text/CopyButton.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { validateDomain } from '../../../validators.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { useMarkEvents } from '../live/eventFilters.js';
import * as particularsStyles from '../Particulars.module.css';
import * as styles from './MarkDomains.module.css';
import type { MarkProps } from './MarkMembers.js';

/** Longer than a check: an unreachable server is given up after five seconds. */
const RESULT_TIMEOUT_MS = 8_000;
const RESULT_INTERVAL_MS = 1_000;

const statusBadges: Readonly<Record<MarkDomain['status'], BadgeProps>> = {
  pending: { tone: 'info', icon: 'clock', label: texts.statuses.pending },
  verified: { tone: 'good', icon: 'check', label: texts.statuses.verified },
  failing: { tone: 'warn', icon: 'warning', label: texts.statuses.failing },
};

const claimErrors = texts.claimErrors(MAX_DOMAINS);

export function MarkDomains({ mark, onChange }: MarkProps) {
  const { client, user } = useAccount();
  const markId = mark.id;
  const load = useCallback((signal: AbortSignal) => client.listDomains({ markId }, { signal }), [client, markId]);
  const query = useAuthedQuery(load, useMarkEvents(markId));
  const isAdmin = mark.admin.id === user.id && !mark.isClosed;
  const reload = () => {
    query.reload();
    onChange();
  };
  const claim = async ({ domain }: { domain: string }) => {
    await client.claimDomain({ markId, domain: domain.trim() });
    announce(texts.added);
    reload();
  };
  return (
    <Card title={texts.title}>
      <p className={basics.quiet}>{texts.lead}</p>
      <QueryView query={query} what={texts.whatIsLoaded}>
        {(domains) => (
          <>
            {domains.length > 0 && (
              <ul className={`${basics.list} ${styles.list}`}>
                {domains.map((domain) => (
                  <DomainItem key={domain.domain} {...{ markId, domain, isAdmin }} onChange={reload} />
                ))}
              </ul>
            )}
            {domains.length === 0 && !isAdmin && <p>{texts.isEmpty}</p>}
            {isAdmin && domains.length < MAX_DOMAINS && (
              <Form
                validators={{ domain: validateDomain }}
                submit={claim}
                errorMessages={claimErrors}
                action={texts.add}
                busyAction={texts.adding}
                kind="plain"
                resetOnSuccess
              >
                <TextField name="domain" label={texts.label} hint={texts.hint} autoComplete="off" />
              </Form>
            )}
          </>
        )}
      </QueryView>
    </Card>
  );
}

interface DomainItemProps {
  readonly markId: string;
  readonly domain: MarkDomain;
  readonly isAdmin: boolean;
  readonly onChange: () => void;
}

function DomainItem({ markId, domain: item, isAdmin, onChange }: DomainItemProps) {
  const { client } = useAccount();
  const { domain, status } = item;
  const { isChecking, error, check } = useDomainCheck(markId, item, onChange);
  const remove = async () => {
    await client.removeDomain({ markId, domain });
    announce(texts.removed(domain));
    onChange();
  };
  return (
    <li className={styles.domain}>
      <div className={`${basics.row} ${styles.head}`}>
        <strong>{domain}</strong>
        <Badge {...statusBadges[status]} />
      </div>
      <DomainState domain={item} />
      {status !== 'verified' && <DomainProofs domain={item} />}
      <ErrorNotice error={error} />
      {isAdmin && (
        <div className={basics.row}>
          <Button isBusy={isChecking} aria-label={texts.checkOf(domain)} onClick={check}>
            {isChecking ? texts.checking : texts.check}
          </Button>
          <ConfirmButton verb={texts.remove} name={domain} action={texts.removeDomain} work={remove}>
            <p>{texts.removalConsequences}</p>
          </ConfirmButton>
        </div>
      )}
    </li>
  );
}

function DomainState({
  domain: { status, method, since, lastChecked, lastError, lapsesAt },
}: Pick<DomainItemProps, 'domain'>) {
  return (
    <>
      {since !== null && lastChecked !== null && (
        <p className={basics.quiet}>
          {(method === 'dns' ? texts.verifiedByDns : texts.verifiedByFile)(
            <Timestamp at={since} isDayOnly />,
            <Timestamp at={lastChecked} />,
          )}
        </p>
      )}
      {lastError !== null && <p>{lastError}</p>}
      {status === 'failing' && lapsesAt !== null && (
        <p>
          <strong>{texts.willLapse(<Timestamp at={lapsesAt} />)}</strong>
        </p>
      )}
      {status === 'pending' && lapsesAt !== null && (
        <p className={basics.quiet}>{texts.checkedUntil(<Timestamp at={lapsesAt} isDayOnly />)}</p>
      )}
    </>
  );
}

function DomainProofs({ domain: { dnsRecord, file } }: Pick<DomainItemProps, 'domain'>) {
  return (
    <>
      <p>{texts.proofsLead}</p>
      <dl className={particularsStyles.particulars}>
        <dt>{texts.dnsRecord}</dt>
        <dd>
          <p>{texts.dnsHint}</p>
          <Value text={dnsRecord.name} what={texts.recordName} />
          <Value text={dnsRecord.value} what={texts.recordValue} />
        </dd>
        <dt>{texts.orFile}</dt>
        <dd>
          <p>{texts.fileHint}</p>
          <Value text={file.url} what={texts.fileAddress} />
          <Value text={file.content} what={texts.fileContent} />
        </dd>
      </dl>
    </>
  );
}

function Value({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <p className={styles.value}>
      <code>{text}</code> <CopyButton text={text} what={what} />
    </p>
  );
}

/** Schedules a check and waits for its result, but not for one that is the same as before. */
function useDomainCheck(markId: string, item: MarkDomain, onChange: () => void) {
  const { client } = useAccount();
  const { isBusy, error, run } = useAction(async () => {
    await client.checkDomain({ markId, domain: item.domain });
    for (let waited = 0; waited < RESULT_TIMEOUT_MS; waited += RESULT_INTERVAL_MS) {
      await new Promise((resolve) => setTimeout(resolve, RESULT_INTERVAL_MS));
      const domains = await client.listDomains({ markId });
      const found = domains.find(({ domain }) => domain === item.domain);
      if (!found || describeResult(found) !== describeResult(item)) break;
    }
    announce(texts.checked);
    onChange();
  });
  return { isChecking: isBusy, error, check: () => run() };
}

function describeResult({ status, lastChecked, lastError }: MarkDomain): string {
  return JSON.stringify([status, lastChecked, lastError]);
}
