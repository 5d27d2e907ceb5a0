// The second factor: setting it up with an authenticator app, its recovery codes, and removing it.

import type { TotpSetup } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/account';
import { useTitle } from '../../../routing.js';
import { QrCode } from '../../../ui/artifact/QrCode.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Badge } from '../../../ui/feedback/StatusBadge.js';
import { Button } from '../../../ui/form/Button.js';
import { Dialog } from '../../../ui/form/Dialog.js';
import { Form, PasswordField, TextField, UsernameHint } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { CopyButton } from '../../../ui/text/CopyButton.js';
import { Secret } from '../../../ui/text/Secret.js';
import { validateCode, validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';
import { RecoveryCodes } from './RecoveryCodes.js';

export function SecondFactorPage() {
  useTitle(texts.secondFactor);
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
        <h1>{texts.secondFactor}</h1>
        <p className={basics.quiet}>{texts.secondFactorLead}</p>
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
    <Card title={texts.setUp}>
      <Form
        validators={{ password: validatePassword }}
        submit={start}
        fieldErrorMessages={{ password: { UNAUTHORIZED: texts.wrongPassword } }}
        errorMessages={{ CONFLICT: texts.noPassword }}
        action={texts.continueSetup}
        busyAction={texts.pleaseWait}
      >
        <UsernameHint email={user.email} />
        <PasswordField label={texts.currentPassword} autoComplete="current-password" />
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
    announce(texts.factorIsOn);
    onConfirmed(recoveryCodes);
  };
  return (
    <Card title={texts.addToApp}>
      <p>{texts.scanCode}</p>
      <QrCode text={setup.url} label={texts.qrCode} />
      <p>
        {texts.enterSecret(
          <span className={basics.row}>
            <Secret>{setup.secret.replace(/.{4}(?=.)/g, '$& ')}</Secret>
            <CopyButton text={setup.secret} what={texts.theSecret} />
          </span>,
        )}
      </p>
      <Form
        validators={{ code: validateCode }}
        submit={confirm}
        errorMessages={{ CONFLICT: texts.setupReplaced }}
        action={texts.turnOn}
        busyAction={texts.checking}
        otherActions={<Button onClick={onCancel}>{texts.cancel}</Button>}
      >
        <TextField
          name="code"
          label={texts.code}
          hint={texts.codeHint}
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
    announce(texts.factorRemoved);
    reload();
  };
  return (
    <Card>
      <p className={basics.row}>
        <Badge tone="good" icon="check" label={texts.on} /> {texts.onMeaning}
      </p>
      <p>{texts.newCodes}</p>
      <Button onClick={() => setIsRemoving(true)}>{texts.removeFactor}</Button>
      {isRemoving && (
        <Dialog title={texts.removeFactorQuestion} onClose={close}>
          <p>{texts.removeFactorEffect}</p>
          <Form
            validators={{ password: validatePassword }}
            submit={remove}
            fieldErrorMessages={{ password: { UNAUTHORIZED: texts.wrongPassword } }}
            action={texts.removeFactor}
            busyAction={texts.removing}
            kind="danger"
            otherActions={<Button onClick={close}>{texts.cancel}</Button>}
          >
            <UsernameHint email={user.email} />
            <PasswordField label={texts.currentPassword} autoComplete="current-password" isFirst />
          </Form>
        </Dialog>
      )}
    </Card>
  );
}
