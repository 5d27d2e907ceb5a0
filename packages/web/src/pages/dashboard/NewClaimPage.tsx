// Contests the registration of a file, with evidence or by a statement alone.

import {
  type Artifact,
  type ClaimKind,
  claimKinds,
  type Fingerprint,
  isFingerprint,
  kindNames,
  type Mark,
} from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import { quoteService } from '../../errorMessages.js';
import { readArtifact } from '../../publicReads.js';
import { navigate, useCurrentUrl, useTitle } from '../../routing.js';
import { Card } from '../../ui/Card.js';
import { Fact } from '../../ui/Fact.js';
import { SelectField } from '../../ui/Field.js';
import { showFlash } from '../../ui/FlashNotice.js';
import { Choice, FileField, Form, TextAreaField, TextField, type Validator } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { MarkIdentityLine, NameAtRegistration } from '../../ui/MarkIdentity.js';
import { QueryView } from '../../ui/query.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { acceptAny } from '../../validators.js';
import { validateClaimText } from '../claims/ClaimActions.js';
import { NotFoundPage } from '../NotFoundPage.js';
import { useAccount, useAuthedQuery } from './account.js';

export function NewClaimPage() {
  useTitle('Contest a registration');
  const fingerprint = useCurrentUrl().searchParams.get('artifact') ?? '';
  return isFingerprint(fingerprint) ? <ClaimLoader key={fingerprint} fingerprint={fingerprint} /> : <NotFoundPage />;
}

function ClaimLoader({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const { client } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [artifact, marks] = await Promise.all([
        readArtifact(client, { fingerprint }, { signal }),
        client.listMarks({ signal }),
      ]);
      return { artifact, marks };
    },
    [client, fingerprint],
  );
  return (
    <div className="stack">
      <div>
        <h1>Contest a registration</h1>
        <p className="quiet">
          Your claim is public and permanent, with your name. It never changes who registered the file first. With older
          evidence from a source that this registry trusts, the file is shown as contested everywhere.
        </p>
      </div>
      <QueryView query={useAuthedQuery(load)} what="Artifact">
        {({ artifact, marks }) => (
          <>
            <Card title="The registration">
              <Registration artifact={artifact} />
            </Card>
            <Card title="Your claim">
              <ClaimForm fingerprint={artifact.fingerprint} marks={marks} />
            </Card>
          </>
        )}
      </QueryView>
    </div>
  );
}

function Registration({ artifact }: { readonly artifact: Artifact }) {
  const { fingerprint, metadata, mark, createdAt } = artifact;
  return (
    <dl className="facts">
      <Fact name="File">
        <Link to={`/artifacts/${fingerprint}`}>
          <bdi>{metadata.filename ?? kindNames[metadata.kind]}</bdi>
        </Link>
      </Fact>
      <Fact name="Mark">
        {metadata.mark ? <NameAtRegistration registered={metadata.mark} mark={mark} /> : 'Private'}{' '}
        {'name' in mark && <MarkIdentityLine mark={mark} />}
      </Fact>
      <Fact name="Registered">
        <Timestamp at={createdAt} />
      </Fact>
    </dl>
  );
}

const kindOptions = [
  {
    value: 'timestamp',
    label: 'A time-stamp',
    hint: 'A time-stamp token or response (RFC 3161) of the SHA-256 of exactly this file.',
  },
  {
    value: 'manifest',
    label: 'A C2PA manifest',
    hint: 'Content Credentials with a time-stamp: the file with its manifest inside, or the manifest as a file.',
  },
  {
    value: 'chain-entry',
    label: 'An entry on chain',
    hint: 'An earlier entry for this file in the public registry.',
  },
  { value: 'statement', label: 'No evidence', hint: 'Only your statement. The file is not shown as contested.' },
] as const satisfies readonly { readonly value: ClaimKind; readonly label: string; readonly hint: string }[];

const validateAccount: Validator = (text) =>
  text.trim() === '' || /^0x[0-9a-fA-F]{40}$/.test(text.trim())
    ? undefined
    : 'Enter an account: 0x and 40 hexadecimal digits.';

function ClaimForm({ fingerprint, marks }: { readonly fingerprint: Fingerprint; readonly marks: readonly Mark[] }) {
  const { client } = useAccount();
  const [kind, setKind] = useState<ClaimKind>('timestamp');
  const [file, setFile] = useState<File>();
  const needsFile = kind === 'timestamp' || kind === 'manifest';
  const select = (value: string) => {
    setKind(claimKinds.find((name) => name === value) ?? 'statement');
    setFile(undefined);
  };
  const submit = async (values: { file: string; statement: string; account: string; markId: string }) => {
    const fields = {
      fingerprint,
      kind,
      statement: values.statement.trim(),
      markId: values.markId || undefined,
      account: values.account.trim() || undefined,
    };
    await client.createClaim(needsFile && file ? { ...fields, file } : fields);
    navigate(`/artifacts/${fingerprint}`);
    showFlash('Your claim is published.');
  };
  const ownMarks = marks.filter(({ visibility, isClosed }) => visibility === 'public' && !isClosed);
  return (
    <Form
      validators={{
        file: () => (needsFile && !file ? 'Choose the file with your evidence.' : undefined),
        account: validateAccount,
        statement: validateClaimText,
        markId: acceptAny,
      }}
      submit={submit}
      errorMessages={{
        BAD_REQUEST: quoteService,
        FORBIDDEN: quoteService,
        CONFLICT: quoteService,
        PAYLOAD_TOO_LARGE: quoteService,
        UNAVAILABLE: quoteService,
      }}
      action="Publish claim"
      busyAction="Checking your evidence …"
    >
      <Choice name="kind" legend="Your evidence" defaultValue={kind} onSelect={select} options={kindOptions} />
      {needsFile && (
        <FileField
          key={kind}
          name="file"
          label="File with your evidence"
          hint="It must be at least five minutes older than the registration. The time-stamp or manifest in it becomes public."
          onFile={setFile}
        />
      )}
      {kind === 'chain-entry' && (
        <TextField
          name="account"
          label="Account that wrote the entry (optional)"
          hint="The entry must be at least five minutes older than the registration."
          autoComplete="off"
        />
      )}
      <TextAreaField
        name="statement"
        label="Your statement"
        hint="Why you contest the registration, and how you can be believed. Public."
        isProse
      />
      <SelectField
        name="markId"
        label="You speak for"
        hint="The file can be conceded to a Mark only."
        options={[{ id: '', name: 'Myself' }, ...ownMarks]}
        defaultValue={ownMarks[0]?.id ?? ''}
      />
    </Form>
  );
}
