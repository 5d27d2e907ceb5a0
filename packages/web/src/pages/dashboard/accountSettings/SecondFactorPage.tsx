// The second factor: setting it up with an authenticator app, its recovery codes, and removing it.

import type { TotpSetup } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { useTitle } from '../../../routing.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import { CopyButton } from '../../../ui/CopyButton.js';
import { Dialog } from '../../../ui/Dialog.js';
import { Form, PasswordField, TextField, UsernameHint } from '../../../ui/Form.js';
import { announce } from '../../../ui/LiveRegion.js';
import { QrCode } from '../../../ui/QrCode.js';
import { Badge } from '../../../ui/StatusBadge.js';
import { validateCode, validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';
import { NO_PASSWORD } from './messages.js';
import { RecoveryCodes } from './RecoveryCodes.js';

export function SecondFactorPage() {
  useTitle('Second factor');
  const { user, reload } = useAccount();
  const [setup, setSetup] = useState<TotpSetup>();
  /** Known only until the user leaves the page. */
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  const finish = (codes: readonly string[]) => {
    setSetup(undefined);
    setRecoveryCodes(codes);
    reload();
  };
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onDone={() => setRecoveryCodes(undefined)} />;
  return (
    <>
      <div>
        <h1>Second factor</h1>
        <p className="quiet">
          With a second factor, logging in needs a code of an authenticator app on your phone in addition to your
          password.
        </p>
      </div>
      {user.hasTotp ? (
        <ActiveFactor />
      ) : setup ? (
        <ConfirmSetup setup={setup} onConfirmed={finish} onCancel={() => setSetup(undefined)} />
      ) : (
        <StartSetup onStarted={setSetup} />
      )}
    </>
  );
}

function StartSetup({ onStarted }: { readonly onStarted: (setup: TotpSetup) => void }) {
  const { client, user, reload } = useAccount();
  const start = async ({ password }: { password: string }) => {
    try {
      onStarted(await client.startTotp({ password }));
    } catch (error) {
      // It may have been set up in another tab.
      reload();
      throw error;
    }
  };
  return (
    <Card title="Set up a second factor">
      <Form
        validators={{ password: validatePassword }}
        submit={start}
        fieldErrorMessages={{ password: { UNAUTHORIZED: 'Wrong password.' } }}
        errorMessages={{ CONFLICT: NO_PASSWORD }}
        action="Continue"
        busyAction="Please wait …"
      >
        <UsernameHint email={user.email} />
        <PasswordField label="Current password" autoComplete="current-password" />
      </Form>
    </Card>
  );
}

interface ConfirmSetupProps {
  readonly setup: TotpSetup;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}

function ConfirmSetup({ setup, onConfirmed, onCancel }: ConfirmSetupProps) {
  const { client } = useAccount();
  const confirm = async ({ code }: { code: string }) => {
    const { recoveryCodes } = await client.confirmTotp({ code: code.trim() });
    announce('The second factor is on.');
    onConfirmed(recoveryCodes);
  };
  return (
    <Card title="Add this account to your app">
      <p>Scan the QR code with an authenticator app.</p>
      <QrCode text={setup.url} label="QR code with the secret of the second factor" />
      <p>
        Or enter this secret in the app:{' '}
        <span className="row">
          <code className="secret">{setup.secret.replace(/.{4}(?=.)/g, '$& ')}</code>
          <CopyButton text={setup.secret} what="secret" />
        </span>
      </p>
      <Form
        validators={{ code: validateCode }}
        submit={confirm}
        errorMessages={{ CONFLICT: 'This set-up was replaced by another one. Cancel it, then start again.' }}
        action="Turn on"
        busyAction="Checking …"
        otherActions={<Button onClick={onCancel}>Cancel</Button>}
      >
        <TextField
          name="code"
          label="Code"
          hint="The six digits that the app shows now."
          autoComplete="one-time-code"
          inputMode="numeric"
          isFirst
        />
      </Form>
    </Card>
  );
}

function ActiveFactor() {
  const { client, user, reload } = useAccount();
  const [isRemoving, setIsRemoving] = useState(false);
  const close = () => setIsRemoving(false);
  const remove = async ({ password }: { password: string }) => {
    await client.removeTotp({ password });
    announce('The second factor is removed.');
    reload();
  };
  return (
    <Card>
      <p className="row">
        <Badge tone="good" icon="check" label="On" /> Logging in needs a code of your authenticator app or a recovery
        code.
      </p>
      <p>To get new recovery codes, remove the second factor and set it up again.</p>
      <Button onClick={() => setIsRemoving(true)}>Remove second factor</Button>
      {isRemoving && (
        <Dialog title="Remove the second factor?" onClose={close}>
          <p>Logging in will need your password alone. Your recovery codes stop working.</p>
          <Form
            validators={{ password: validatePassword }}
            submit={remove}
            fieldErrorMessages={{ password: { UNAUTHORIZED: 'Wrong password.' } }}
            action="Remove second factor"
            busyAction="Removing …"
            kind="danger"
            otherActions={<Button onClick={close}>Cancel</Button>}
          >
            <UsernameHint email={user.email} />
            <PasswordField label="Current password" autoComplete="current-password" isFirst />
          </Form>
        </Dialog>
      )}
    </Card>
  );
}
