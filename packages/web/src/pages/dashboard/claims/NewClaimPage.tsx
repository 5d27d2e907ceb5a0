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
import * as texts from '#texts/claims/ownClaims';
import { quoteService } from '../../../errorMessages.js';
import { readArtifact } from '../../../publicReads.js';
import { navigate, useCurrentUrl, useTitle } from '../../../routing.js';
import { Fact } from '../../../ui/facts/Fact.js';
import * as factStyles from '../../../ui/facts/Fact.module.css';
import { showFlash } from '../../../ui/feedback/FlashNotice.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { FileName } from '../../../ui/file/FileName.js';
import { SelectField } from '../../../ui/form/Field.js';
import { Choice, FileField, Form, TextAreaField, TextField, type Validator } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { MarkIdentityLine, NameAtRegistration } from '../../../ui/mark/MarkIdentityLine.js';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { acceptAny } from '../../../validators.js';
import { validateClaimText } from '../../claims/ClaimActions.js';
import { NotFoundPage } from '../../NotFoundPage.js';
import { useAccount, useAuthedQuery } from '../account.js';

export function NewClaimPage() {
  useTitle(texts.newTitle);
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
    <div className={basics.stack}>
      <div>
        <h1>{texts.newTitle}</h1>
        <p className={basics.quiet}>{texts.newLead}</p>
      </div>
      <QueryView query={useAuthedQuery(load)} what={texts.artifact}>
        {({ artifact, marks }) => (
          <>
            <Card title={texts.registration}>
              <ContestedRegistration artifact={artifact} />
            </Card>
            <Card title={texts.yourClaim}>
              <ClaimForm fingerprint={artifact.fingerprint} marks={marks} />
            </Card>
          </>
        )}
      </QueryView>
    </div>
  );
}

function ContestedRegistration({ artifact }: { readonly artifact: Artifact }) {
  const { fingerprint, metadata, mark, createdAt } = artifact;
  return (
    <dl className={factStyles.facts}>
      <Fact name={texts.file}>
        <Link to={`/artifacts/${fingerprint}`}>
          <FileName name={metadata.filename ?? kindNames[metadata.kind]} />
        </Link>
      </Fact>
      <Fact name={texts.mark}>
        {metadata.mark ? <NameAtRegistration registered={metadata.mark} mark={mark} /> : texts.privateMark}{' '}
        {'name' in mark && <MarkIdentityLine mark={mark} />}
      </Fact>
      <Fact name={texts.registered}>
        <Timestamp at={createdAt} />
      </Fact>
    </dl>
  );
}

/** The strongest first. */
const kindOptions = (['timestamp', 'manifest', 'chain-entry', 'statement'] as const satisfies ClaimKind[]).map(
  (value) => ({
    value,
    ...texts.kinds[value],
  }),
);

const validateAccount: Validator = (text) =>
  text.trim() === '' || /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? undefined : texts.invalidAccount;

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
    showFlash(texts.published);
  };
  const ownMarks = marks.filter(({ visibility, isClosed }) => visibility === 'public' && !isClosed);
  return (
    <Form
      validators={{
        file: () => (needsFile && !file ? texts.fileMissing : undefined),
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
      action={texts.publish}
      busyAction={texts.checking}
    >
      <Choice name="kind" legend={texts.evidence} defaultValue={kind} onSelect={select} options={kindOptions} />
      {needsFile && <FileField key={kind} name="file" label={texts.fileLabel} hint={texts.fileHint} onFile={setFile} />}
      {kind === 'chain-entry' && (
        <TextField name="account" label={texts.accountLabel} hint={texts.accountHint} autoComplete="off" />
      )}
      <TextAreaField name="statement" label={texts.statementLabel} hint={texts.statementHint} isProse />
      <SelectField
        name="markId"
        label={texts.speakerLabel}
        hint={texts.speakerHint}
        options={[{ id: '', name: texts.myself }, ...ownMarks]}
        defaultValue={ownMarks[0]?.id ?? ''}
      />
    </Form>
  );
}
