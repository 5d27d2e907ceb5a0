// Everything that the service has stored about the user: exporting it, and closing the account.

import { isProviderToken } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/account';
import { navigate, useTitle } from '../../../routing.js';
import { setToken, useToken } from '../../../session.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { showFlash } from '../../../ui/feedback/FlashNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { saveFile } from '../../../ui/file/saveFile.js';
import { Button } from '../../../ui/form/Button.js';
import { Dialog } from '../../../ui/form/Dialog.js';
import { Form, PasswordField, TextField, UsernameHint } from '../../../ui/form/Form.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { formatSize } from '../../../ui/text/format.js';
import { validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';
import * as styles from './DataPage.module.css';

export function DataPage() {
  useTitle(texts.data);
  const [isClosing, setIsClosing] = useState(false);
  return (
    <>
      <h1>{texts.data}</h1>
      <ExportCard />
      <Card title={texts.closeAccount}>
        <p>{texts.closeAccountEffect}</p>
        <Button kind="danger" onClick={() => setIsClosing(true)}>
          {texts.closeAccountStart}
        </Button>
      </Card>
      {isClosing && <CloseDialog onCancel={() => setIsClosing(false)} />}
    </>
  );
}

function ExportCard() {
  const { client } = useAccount();
  const [receivedBytes, setReceivedBytes] = useState(0);
  const { isBusy, error, run } = useAction(async () => {
    setReceivedBytes(0);
    const stream = await client.exportAccount();
    // The browser keeps large content on disk. A stream that breaks off saves nothing.
    const content = await new Response(stream.pipeThrough(countBytes(setReceivedBytes))).blob();
    saveFile(content, `provenance-export-${new Date().toISOString().slice(0, 10)}.json`);
    announce(texts.exported);
  });
  return (
    <Card title={texts.exportData}>
      <p>{texts.exportContent}</p>
      <ErrorNotice error={error} />
      <div className={basics.row}>
        <Button isBusy={isBusy} onClick={() => run()}>
          {isBusy ? texts.exporting : texts.startExport}
        </Button>
        {isBusy && <span className={basics.quiet}>{formatSize(receivedBytes)}</span>}
      </div>
    </Card>
  );
}

function countBytes(onProgress: (bytes: number) => void) {
  let bytes = 0;
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.length;
      onProgress(bytes);
      controller.enqueue(chunk);
    },
  });
}

function CloseDialog({ onCancel }: { readonly onCancel: () => void }) {
  const { client, user } = useAccount();
  const hasPassword = !isProviderToken(useToken() ?? '');
  const close = async ({ password }: { password: string; confirmation: string }) => {
    await client.closeAccount(hasPassword ? { password } : {});
    // Leave the dashboard first: without a token it redirects to the log-in page.
    navigate('/', { replace: true });
    setToken(undefined);
    showFlash(texts.closed);
  };
  const validateConfirmation = (text: string) =>
    text.trim().toLowerCase() === texts.confirmation ? undefined : texts.confirmationDiffers;
  return (
    <Dialog title={texts.closeQuestion} onClose={onCancel}>
      {/* The focus starts here: on a phone, the first field would scroll the text out of view. */}
      <div className={styles.closing} tabIndex={-1} data-first>
        <h3>{texts.erased}</h3>
        <TextList items={texts.erasedList} />
        <h3>{texts.stays}</h3>
        <TextList items={texts.staysList} />
      </div>
      <Form
        validators={{ password: hasPassword ? validatePassword : () => undefined, confirmation: validateConfirmation }}
        submit={close}
        fieldErrorMessages={hasPassword ? { password: { UNAUTHORIZED: texts.wrongPassword } } : {}}
        errorMessages={{
          UNAUTHORIZED: texts.logInAgain,
          CONFLICT: texts.ownsOrganization,
        }}
        action={texts.closeAccount}
        busyAction={texts.closing}
        kind="danger"
        otherActions={<Button onClick={onCancel}>{texts.cancel}</Button>}
      >
        {hasPassword && <UsernameHint email={user.email} />}
        {hasPassword && <PasswordField label={texts.currentPassword} autoComplete="current-password" />}
        <TextField name="confirmation" label={texts.typeConfirmation} autoComplete="off" />
      </Form>
    </Dialog>
  );
}

function TextList({ items }: { readonly items: readonly string[] }) {
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}
