// The form for the visitor's own sources.

import { type ChangeEvent, useEffect, useRef } from 'preact/compat';
import * as texts from '#texts/lookups/ownSources';
import { useStore } from '../../store.js';
import { Button } from '../../ui/form/Button.js';
import { Form, TextAreaField, TextField } from '../../ui/form/Form.js';
import * as basics from '../../ui/layout/basics.module.css';
import * as styles from './OwnSourcesForm.module.css';
import {
  clearOwnSources,
  hasOwnSources,
  isFormOpen,
  type OwnSources,
  ownSourceValidators,
  saveOwnSources,
  useOwnSources,
} from './ownSources.js';

export function OwnSourcesForm() {
  const own = useOwnSources();
  const isOpen = useStore(isFormOpen);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen) details.current?.querySelector('summary')?.focus();
  }, [isOpen]);
  return (
    <details
      ref={details}
      className={`${styles.sources} ${basics.noPrint}`}
      open={isOpen}
      onToggle={({ currentTarget }) => isFormOpen.set(currentTarget.open)}
    >
      <summary>
        {texts.title}
        {hasOwnSources(own) && <span className={basics.quiet}> {describeSources(own)}</span>}
      </summary>
      <p>{texts.explanation}</p>
      <Form
        // Another form when they are cleared.
        key={JSON.stringify(own)}
        validators={ownSourceValidators}
        submit={async (values) => saveOwnSources(trimAll(values))}
        action={texts.save}
        busyAction={texts.saving}
        kind="plain"
      >
        <TextAreaField name="nodes" label={texts.nodes} hint={texts.nodesHint} defaultValue={own.nodes} />
        <TextField name="contract" label={texts.contract} hint={texts.contractHint} defaultValue={own.contract} />
        <TextField name="chainId" label={texts.chainId} defaultValue={own.chainId} />
        <TextAreaField name="roots" label={texts.roots} hint={texts.rootsHint} defaultValue={own.roots} />
        <RootsFile />
        <TextField name="logKey" label={texts.logKey} hint={texts.logKeyHint} defaultValue={own.logKey} />
        <TextField
          name="logContract"
          label={texts.logContract}
          hint={texts.logContractHint}
          defaultValue={own.logContract}
        />
      </Form>
      {hasOwnSources(own) && <Button onClick={clearOwnSources}>{texts.remove}</Button>}
    </details>
  );
}

/** Puts the content of the chosen files into the field. */
function RootsFile() {
  const choose = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const field = currentTarget.form?.elements.namedItem('roots');
    const contents = await Promise.all([...(currentTarget.files ?? [])].map((file) => file.text()));
    if (field instanceof HTMLTextAreaElement) field.value = contents.join('\n');
  };
  return (
    <p>
      <label>
        {texts.rootsFile} <input type="file" multiple accept=".pem,.crt,.cer" onChange={choose} />
      </label>
    </p>
  );
}

function trimAll({ nodes, contract, chainId, roots, logKey, logContract }: OwnSources): OwnSources {
  const chain = { nodes: nodes.trim(), contract: contract.trim(), chainId: chainId.trim() };
  return { ...chain, roots: roots.trim(), logKey: logKey.trim(), logContract: logContract.trim() };
}

function describeSources({ nodes, contract, chainId, roots, logKey, logContract }: OwnSources): string {
  const nodeCount = nodes === '' ? 0 : nodes.split(/\s+/).length;
  const rootCount = roots.split('-----BEGIN CERTIFICATE-----').length - 1;
  const parts = [
    ...(nodeCount > 0 ? [texts.nodeCount(nodeCount)] : []),
    ...(contract === '' ? [] : [texts.namedContract]),
    ...(chainId === '' ? [] : [texts.namedChainId]),
    ...(rootCount > 0 ? [texts.rootCount(rootCount)] : []),
    ...(logKey === '' ? [] : [texts.namedLogKey]),
    ...(logContract === '' ? [] : [texts.namedLogContract]),
  ];
  return texts.inUse(parts);
}
