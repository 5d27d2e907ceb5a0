// The facts of a verification: first those that evidence carries, each with that evidence, then the service's own word.

import {
  type Check,
  type EvidenceKind,
  explanations,
  type FactName,
  isProven,
  type TimeEvidence,
  type Verification,
  type Fact as VerifiedFact,
} from '@provenance-registry/client';
import { aiPermissions, aiUseNames, aiUses, describeAiPreference, isFingerprint } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lookups/verifyChecks';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { CopyButton } from '../../ui/text/CopyButton.js';
import { shortenFingerprint } from '../../ui/text/FingerprintText.js';
import { formatNumber } from '../../ui/text/format.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import * as evidenceStyles from './Evidence.module.css';
import { IdentityFact, isIdentityCarried, signedIdentity } from './SignedIdentity.js';

const labels: Readonly<Partial<Record<FactName, string>>> = texts.factLabels;

/** Facts that something other than the service's word carries. */
export function ProvenFacts({ verification }: { readonly verification: Verification }) {
  const { facts, times, checks } = verification;
  const proven = facts.filter(isProven);
  const identity = signedIdentity(verification);
  return (
    <>
      {proven.map((fact) => (
        <FactRow key={fact.name} fact={fact} facts={facts} />
      ))}
      <AiUseFacts facts={proven} />
      {identity && isIdentityCarried(verification) && <IdentityFact identity={identity} />}
      <Times name={texts.since} times={times.filter(({ isIndependent }) => isIndependent)} />
      <Block check={checks.chain} state="confirmed" />
    </>
  );
}

/** Facts that only the service states. */
export function ServiceFacts({ verification }: { readonly verification: Verification }) {
  const { facts, times, checks } = verification;
  const stated = facts.filter((fact) => !isProven(fact));
  const identity = signedIdentity(verification);
  return (
    <>
      {stated.map((fact) => (
        <FactRow key={fact.name} fact={fact} facts={facts} />
      ))}
      <AiUseFacts facts={stated} />
      {identity && !isIdentityCarried(verification) && <IdentityFact identity={identity} />}
      <Times name={texts.times} times={times.filter(({ isIndependent }) => !isIndependent)} />
      <Block check={checks.chain} state="agrees" />
    </>
  );
}

function FactRow({ fact, facts }: { readonly fact: VerifiedFact; readonly facts: readonly VerifiedFact[] }) {
  const label = labels[fact.name];
  if (label === undefined) return null;
  return (
    <Fact name={label}>
      <FactValue fact={fact} facts={facts} /> <Evidence kinds={fact.evidence} />
    </Fact>
  );
}

/** One row for all uses that the registrant says something about. Their evidence is the same: none of them is on chain. */
function AiUseFacts({ facts }: { readonly facts: readonly VerifiedFact[] }) {
  const uses = aiUses.flatMap((use) => facts.filter(({ name }) => name === use).map((fact) => ({ ...fact, use })));
  if (!uses[0]) return null;
  return (
    <Fact name={texts.aiUses}>
      {uses.map(({ use, value }) => (
        <span key={use} className={factStyles.line}>
          {texts.aiUse(aiUseNames[use], <bdi>{describeUse(value)}</bdi>)}
        </span>
      ))}
      <Evidence kinds={uses[0].evidence} />
    </Fact>
  );
}

/** The conditions follow the word. */
function describeUse(value: VerifiedFact['value']): string {
  const text = String(value);
  const use = aiPermissions.find((permission) => text === permission || text.startsWith(`${permission}: `));
  return use ? explanations.permissions[use] + text.slice(use.length) : text;
}

function Evidence({ kinds }: { readonly kinds: readonly EvidenceKind[] }) {
  const names = kinds.flatMap((kind) => (kind === 'service' ? [] : [texts.evidenceNames[kind]]));
  return names.length > 0 && <small className={evidenceStyles.evidence}>{names.join(', ')}</small>;
}

function FactValue({
  fact: { name, value },
  facts,
}: {
  fact: VerifiedFact;
  facts: readonly VerifiedFact[];
}): ReactNode {
  const textOf = (wanted: FactName) => {
    const found = facts.find((fact) => fact.name === wanted)?.value;
    return typeof found === 'string' ? found : undefined;
  };
  if (name === 'allowAiTraining') return typeof value === 'string' ? null : describeAiPreference(value);
  const text = <bdi>{String(value)}</bdi>;
  const isLink = name === 'previousFingerprint' || name === 'signedCopyOf';
  if (isLink && typeof value === 'string' && isFingerprint(value)) {
    return (
      <Link to={`/#fingerprint=${value}`}>
        <code>{shortenFingerprint(value)}</code>
      </Link>
    );
  }
  if (name !== 'mark') return name === 'registrar' ? <code>{text}</code> : text;
  const [markId, currentName] = [textOf('markId'), textOf('currentMarkName')];
  const mark = markId === undefined ? text : <Link to={`/marks/${encodeURIComponent(markId)}`}>{text}</Link>;
  if (currentName === undefined) return mark;
  return texts.registeredAs(mark, <bdi>{currentName}</bdi>, (word) => <span data-stated>{word}</span>);
}

/** The first is the time since when the file is registered. */
function Times({ name, times }: { readonly name: string; readonly times: readonly TimeEvidence[] }) {
  if (times.length === 0) return null;
  return (
    <Fact name={name}>
      {times.map(({ at, source }) => (
        <span key={source} className={factStyles.line}>
          <Timestamp at={at} /> <small className={evidenceStyles.evidence}>{texts.timeSources[source]}</small>
        </span>
      ))}
    </Fact>
  );
}

/** The block that an explorer of the chain shows too. */
function Block({ check, state }: { readonly check: Verification['checks']['chain']; readonly state: Check['state'] }) {
  const { blockNumber, blockHash } = check.details;
  if (check.state !== state || blockNumber === undefined || blockHash === undefined) return null;
  return (
    <Fact name={texts.block}>
      {texts.blockNumberAndHash(formatNumber(blockNumber), <code>{blockHash}</code>)}
      <CopyButton text={blockHash} what={texts.blockHash} />
      <small className={evidenceStyles.evidence}>{texts.compareBlock}</small>
    </Fact>
  );
}
