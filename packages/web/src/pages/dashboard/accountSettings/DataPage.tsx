// Everything that the service has stored about the user: exporting it, and closing the account.

import { isProviderToken } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { navigate, useTitle } from '../../../routing.js';
import { setToken, useToken } from '../../../session.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import { Dialog } from '../../../ui/Dialog.js';
import { ErrorNotice } from '../../../ui/ErrorNotice.js';
import { showFlash } from '../../../ui/FlashNotice.js';
import { Form, PasswordField, TextField, UsernameHint } from '../../../ui/Form.js';
import { formatSize } from '../../../ui/format.js';
import { announce } from '../../../ui/LiveRegion.js';
import { saveFile } from '../../../ui/saveFile.js';
import { useAction } from '../../../ui/useAction.js';
import { validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';

const CONFIRMATION = 'close my account';

export function DataPage() {
  useTitle('Your data');
  const [isClosing, setIsClosing] = useState(false);
  return (
    <>
      <h1>Your data</h1>
      <ExportCard />
      <Card title="Close account">
        <p>
          Erases your email address, name and password here. Registered files stay registered, with the name that was
          signed with them. This cannot be undone.
        </p>
        <Button kind="danger" onClick={() => setIsClosing(true)}>
          Close account …
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
    announce('The export is downloaded.');
  });
  return (
    <Card title="Export your data">
      <p>
        Everything that this service has stored about you, as one JSON file: account, sessions, organizations, Marks,
        API keys, invitations, events and the files that you registered.
      </p>
      <ErrorNotice error={error} />
      <div className="row">
        <Button isBusy={isBusy} onClick={() => run()}>
          {isBusy ? 'Exporting …' : 'Export data'}
        </Button>
        {isBusy && <span className="quiet">{formatSize(receivedBytes)}</span>}
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
    showFlash('Your account is closed.');
  };
  const validateConfirmation = (text: string) =>
    text.trim().toLowerCase() === CONFIRMATION ? undefined : `Type “${CONFIRMATION}”.`;
  return (
    <Dialog title="Close your account?" onClose={onCancel}>
      {/* The focus starts here: on a phone, the first field would scroll the text out of view. */}
      <div className="closing" tabIndex={-1} data-first>
        <h3>Erased for good</h3>
        <ul>
          <li>Your email address, name, password and second factor.</li>
          <li>Your sessions, on all devices, and the API keys of organizations that you own.</li>
          <li>Your memberships of organizations and Marks; admin roles pass to their owners.</li>
          <li>Invitations that you made.</li>
        </ul>
        <h3>Stays</h3>
        <ul>
          <li>
            Files that you registered, with the name that was signed with them. Published files and entries on chain
            cannot be taken back; entries on chain contain no name.
          </li>
          <li>Your own Marks: readable and closed. Nothing can be registered under them.</li>
          <li>Organizations that you own alone, with their names and Marks.</li>
          <li>The history of events, which names you by the ID of your account only.</li>
        </ul>
      </div>
      <Form
        validators={{ password: hasPassword ? validatePassword : () => undefined, confirmation: validateConfirmation }}
        submit={close}
        fieldErrorMessages={hasPassword ? { password: { UNAUTHORIZED: 'Wrong password.' } } : {}}
        errorMessages={{
          UNAUTHORIZED:
            'Log in at your OpenID provider again: closing the account needs a log-in of the last ten minutes.',
          CONFLICT:
            'You own an organization with other members. Transfer it to one of them or remove them, then try again.',
        }}
        action="Close account"
        busyAction="Closing …"
        kind="danger"
        otherActions={<Button onClick={onCancel}>Cancel</Button>}
      >
        {hasPassword && <UsernameHint email={user.email} />}
        {hasPassword && <PasswordField label="Current password" autoComplete="current-password" />}
        <TextField name="confirmation" label={`Type “${CONFIRMATION}” to confirm`} autoComplete="off" />
      </Form>
    </Dialog>
  );
}
