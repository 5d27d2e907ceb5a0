// The domains of a Mark: claimed, with the record that proves them, checked and removed.

import { MAX_DOMAINS, type MarkDomain } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CopyButton.js';
import { ConfirmButton } from '../../ui/Dialog.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Form, TextField } from '../../ui/Form.js';
import { announce } from '../../ui/LiveRegion.js';
import { QueryView } from '../../ui/query.js';
import { Badge, type BadgeProps } from '../../ui/StatusBadge.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAction } from '../../ui/useAction.js';
import { validateDomain } from '../../validators.js';
import { useAccount, useAuthedQuery } from './account.js';
import type { MarkProps } from './MarkMembers.js';
import './markDomains.css';

/** Longer than a check: an unreachable server is given up after five seconds. */
const RESULT_TIMEOUT_MS = 8_000;
const RESULT_INTERVAL_MS = 1_000;

const statusBadges: Readonly<Record<MarkDomain['status'], BadgeProps>> = {
  pending: { tone: 'info', icon: 'clock', label: 'Not confirmed yet' },
  verified: { tone: 'good', icon: 'check', label: 'Verified' },
  failing: { tone: 'warn', icon: 'warning', label: 'Last check failed' },
};

const claimErrors = {
  CONFLICT: `This Mark claims the domain already, or has ${MAX_DOMAINS} domains.`,
  TIER_RESTRICTION: 'The organization of this Mark is frozen.',
};

export function MarkDomains({ mark, onChange }: MarkProps) {
  const { client, user } = useAccount();
  const markId = mark.id;
  const load = useCallback((signal: AbortSignal) => client.listDomains({ markId }, { signal }), [client, markId]);
  const query = useAuthedQuery(load);
  const isAdmin = mark.admin.id === user.id && !mark.isClosed;
  const reload = () => {
    query.reload();
    onChange();
  };
  const claim = async ({ domain }: { domain: string }) => {
    await client.claimDomain({ markId, domain: domain.trim() });
    announce('Domain added.');
    reload();
  };
  return (
    <Card title="Domains">
      <p className="quiet">
        Anyone can give a Mark any name. A verified domain tells others which website stands behind this one. It is
        shown with the Mark, and signed into the manifests of files that are registered from then on.
      </p>
      <QueryView query={query} what="domains">
        {(domains) => (
          <>
            {domains.length > 0 && (
              <ul className="mark-domains">
                {domains.map((domain) => (
                  <DomainItem key={domain.domain} {...{ markId, domain, isAdmin }} onChange={reload} />
                ))}
              </ul>
            )}
            {domains.length === 0 && !isAdmin && <p>This Mark has no verified domain.</p>}
            {isAdmin && domains.length < MAX_DOMAINS && (
              <Form
                validators={{ domain: validateDomain }}
                submit={claim}
                errorMessages={claimErrors}
                action="Add domain"
                busyAction="Adding …"
                kind="plain"
                resetOnSuccess
              >
                <TextField name="domain" label="Domain" hint="Such as example.org." autoComplete="off" />
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
    announce(`${domain} was removed from this Mark.`);
    onChange();
  };
  return (
    <li className="mark-domain">
      <div className="mark-domain-head">
        <strong className="mark-domain-name">{domain}</strong>
        <Badge {...statusBadges[status]} />
      </div>
      <DomainState domain={item} />
      {status !== 'verified' && <DomainProofs domain={item} />}
      <ErrorNotice error={error} />
      {isAdmin && (
        <div className="row">
          <Button isBusy={isChecking} aria-label={`Check now: ${domain}`} onClick={check}>
            {isChecking ? 'Checking …' : 'Check now'}
          </Button>
          <ConfirmButton verb="Remove" name={domain} action="Remove domain" work={remove}>
            <p>
              It is no longer shown with this Mark. Files that were registered while it was verified still show it, and
              so do their signed manifests.
            </p>
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
        <p className="quiet">
          Verified by {method === 'dns' ? 'its DNS record' : 'a file on its website'} since{' '}
          <Timestamp at={since} isDayOnly />, last confirmed <Timestamp at={lastChecked} />.
        </p>
      )}
      {lastError !== null && <p>{lastError}</p>}
      {status === 'failing' && lapsesAt !== null && (
        <p>
          <strong>
            Unless a check succeeds before, the verification lapses on <Timestamp at={lapsesAt} />.
          </strong>
        </p>
      )}
      {status === 'pending' && lapsesAt !== null && (
        <p className="quiet">
          Checked again every hour, until <Timestamp at={lapsesAt} isDayOnly />.
        </p>
      )}
    </>
  );
}

function DomainProofs({ domain: { dnsRecord, file } }: Pick<DomainItemProps, 'domain'>) {
  return (
    <>
      <p>Publish one of these. Both are public and contain no secret.</p>
      <dl className="particulars">
        <dt>DNS record</dt>
        <dd>
          <p>A TXT record with this name and value:</p>
          <Value text={dnsRecord.name} what="record name" />
          <Value text={dnsRecord.value} what="record value" />
        </dd>
        <dt>Or a file</dt>
        <dd>
          <p>At this address, with this content:</p>
          <Value text={file.url} what="file address" />
          <Value text={file.content} what="file content" />
        </dd>
      </dl>
    </>
  );
}

function Value({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <p className="mark-domain-value">
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
    announce('Checked.');
    onChange();
  });
  return { isChecking: isBusy, error, check: () => run() };
}

function describeResult({ status, lastChecked, lastError }: MarkDomain): string {
  return JSON.stringify([status, lastChecked, lastError]);
}
