// The versions of a file that its Content Credentials name, with their signers and what was done to each.

import {
  type EmbeddedManifest,
  explanations,
  type ManifestAction,
  type ManifestSigner,
  type ManifestStep,
  signerName,
} from '@provenance-registry/client';
import * as texts from '#texts/lookups/verifyCredentials';
import { describeSourceType } from '../../ui/artifact/sourceTypes.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Timestamp } from '../../ui/text/Timestamp.js';
import * as styles from './CredentialHistory.module.css';
import { sourceTerm } from './credentialFacts.js';

/** Untrusted files can have very many. */
const MAX_STEPS = 20;
const MAX_ACTIONS = 20;

export function CredentialHistory({ manifest }: { readonly manifest: EmbeddedManifest }) {
  const { history, omittedSteps } = manifest;
  if (history.length === 0) return null;
  const shown = history.slice(-MAX_STEPS);
  const count = history.length + omittedSteps;
  const hidden = count - shown.length;
  return (
    <section className={`${basics.clip} ${styles.history}`}>
      <h4>{texts.history(count)}</h4>
      {hidden > 0 && <p className={basics.quiet}>{texts.earlierNotShown(hidden)}</p>}
      <ol>
        {shown.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and steps have nothing unique
          <Step key={index} step={step} />
        ))}
      </ol>
      <p className={basics.quiet}>{texts.historyIsStated}</p>
    </section>
  );
}

function Step({ step }: { readonly step: ManifestStep }) {
  const { title, relationship, signer, signedAt, generator, actions, omittedActions = 0, failures } = step;
  const name =
    relationship === undefined ? texts.yourFile : (texts.relationships.get(relationship) ?? texts.ingredient);
  const what = <strong>{name}</strong>;
  const groups = groupEqual(actions);
  const shown = groups.slice(0, MAX_ACTIONS).reduce((sum, { count }) => sum + count, 0);
  const hidden = actions.length - shown + omittedActions;
  return (
    <li>
      <p>
        {title === undefined ? what : texts.stepTitle(what, <bdi>{title}</bdi>)}
        <br />
        <span className={basics.quiet}>
          {signer
            ? texts.stepSigned({
                signer: <SignerName signer={signer} />,
                at: signedAt === undefined ? undefined : <Timestamp at={signedAt} />,
                generator: generator === undefined ? undefined : <bdi>{generator}</bdi>,
              })
            : texts.withoutManifest}
        </span>
      </p>
      {failures.length > 0 && <Failures codes={failures} />}
      {actions.length > 0 && (
        <ul>
          {groups.slice(0, MAX_ACTIONS).map(({ action, count }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and actions have nothing unique
            <li key={index}>
              {count === 1 ? <Action action={action} /> : texts.repeated(<Action action={action} />, count)}
            </li>
          ))}
          {hidden > 0 && <li className={basics.quiet}>{texts.andMore(hidden)}</li>}
        </ul>
      )}
    </li>
  );
}

interface ActionGroup {
  readonly action: ManifestAction;
  readonly count: number;
}

/** Programs note every stroke of a brush. */
function groupEqual(actions: readonly ManifestAction[]): ActionGroup[] {
  const groups: ActionGroup[] = [];
  for (const action of actions) {
    const last = groups.at(-1);
    if (last && JSON.stringify(last.action) === JSON.stringify(action)) {
      groups[groups.length - 1] = { action, count: last.count + 1 };
    } else {
      groups.push({ action, count: 1 });
    }
  }
  return groups;
}

function Action({ action }: { readonly action: ManifestAction }) {
  const { action: name, when, softwareAgent, description } = action;
  const source = sourceTerm(action);
  return texts.action({
    name: explanations.actions.get(name) ?? <bdi>{name}</bdi>,
    source: source === undefined ? undefined : <bdi>{describeSourceType(source)}</bdi>,
    software: softwareAgent === undefined ? undefined : <bdi>{softwareAgent}</bdi>,
    at: when === undefined ? undefined : <Timestamp at={when} />,
    description: description === undefined ? undefined : <bdi>{description}</bdi>,
  });
}

export function Failures({ codes }: { readonly codes: readonly string[] }) {
  return (
    <ul>
      {codes.map((code) => (
        <li key={code}>
          {explanations.manifestFailures.get(code)} <code>{code}</code>
        </li>
      ))}
    </ul>
  );
}

export function SignerName({ signer }: { readonly signer: ManifestSigner }) {
  const name = signerName(signer);
  return name === undefined ? texts.signerWithoutName : <bdi>{name}</bdi>;
}
