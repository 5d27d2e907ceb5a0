// The form for the visitor's own sources.

import { type ChangeEvent, useEffect, useRef } from 'preact/compat';
import { useStore } from '../../store.js';
import { Button } from '../../ui/Button.js';
import { Form, TextAreaField, TextField } from '../../ui/Form.js';
import { pluralize } from '../../ui/format.js';
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
      className="own-sources"
      open={isOpen}
      onToggle={({ currentTarget }) => isFormOpen.set(currentTarget.open)}
    >
      <summary>
        Use my own sources
        {hasOwnSources(own) && <span className="quiet"> {describeSources(own)}</span>}
      </summary>
      <p>
        A result is verified only by what you know from elsewhere than from this service: a node of the chain that you
        chose, or root certificates that you compared. What you leave empty is taken from this service. It stays in this
        browser.
      </p>
      <Form
        // Another form when they are cleared.
        key={JSON.stringify(own)}
        validators={ownSourceValidators}
        submit={async (values) => saveOwnSources(trimAll(values))}
        action="Save"
        busyAction="Saving …"
        kind="plain"
      >
        <TextAreaField
          name="nodes"
          label="Nodes of the chain"
          hint="JSON-RPC addresses, one on each line. All of them must agree, and allow requests of web pages (CORS)."
          defaultValue={own.nodes}
        />
        <TextField name="contract" label="Contract" hint="0x and 40 hexadecimal digits." defaultValue={own.contract} />
        <TextField name="chainId" label="Chain id" defaultValue={own.chainId} />
        <TextAreaField
          name="roots"
          label="Root certificates"
          hint="PEM, of the signers that you trust."
          defaultValue={own.roots}
        />
        <RootsFile />
      </Form>
      {hasOwnSources(own) && <Button onClick={clearOwnSources}>Remove my sources</Button>}
    </details>
  );
}

/** Puts the content of the chosen files into the field. */
function RootsFile() {
  const choose = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const field = currentTarget.form?.elements.namedItem('roots');
    const texts = await Promise.all([...(currentTarget.files ?? [])].map((file) => file.text()));
    if (field instanceof HTMLTextAreaElement) field.value = texts.join('\n');
  };
  return (
    <p className="roots-file">
      <label>
        Or from files: <input type="file" multiple accept=".pem,.crt,.cer" onChange={choose} />
      </label>
    </p>
  );
}

function trimAll({ nodes, contract, chainId, roots }: OwnSources): OwnSources {
  return { nodes: nodes.trim(), contract: contract.trim(), chainId: chainId.trim(), roots: roots.trim() };
}

function describeSources({ nodes, contract, chainId, roots }: OwnSources): string {
  const nodeCount = nodes === '' ? 0 : nodes.split(/\s+/).length;
  const rootCount = roots.split('-----BEGIN CERTIFICATE-----').length - 1;
  const parts = [
    ...(nodeCount > 0 ? [pluralize(nodeCount, 'node')] : []),
    ...(contract === '' ? [] : ['contract']),
    ...(chainId === '' ? [] : ['chain id']),
    ...(rootCount > 0 ? [pluralize(rootCount, 'root')] : []),
  ];
  return `(${parts.join(', ')})`;
}
