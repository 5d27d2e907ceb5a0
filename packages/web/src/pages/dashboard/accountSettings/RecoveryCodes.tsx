// The recovery codes of a new second factor, to be saved before the page is left.

import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import { CopyButton } from '../../../ui/CopyButton.js';
import { Notice } from '../../../ui/Notice.js';
import { saveFile } from '../../../ui/saveFile.js';
import { useAccount } from '../account.js';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const { user } = useAccount();
  const account = `${location.host}${user.email === null ? '' : `, ${user.email}`}`;
  const download = () => {
    const text = [`Recovery codes for ${account}`, 'Each code works once.', '', ...codes, ''].join('\n');
    saveFile(new Blob([text], { type: 'text/plain' }), 'recovery-codes.txt');
  };
  return (
    <>
      <h1>Save your recovery codes</h1>
      <Notice tone="good" isAlert>
        <p>The second factor is on.</p>
      </Notice>
      <Card>
        <p>
          Each of these codes works once instead of a code of your app, for example when you lose your phone. Keep them
          in a safe place. They cannot be shown again.
        </p>
        <p className="quiet">{account}</p>
        <ul className="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className="row">
          <Button onClick={download}>Download</Button>
          <Button onClick={() => print()}>Print</Button>
          <CopyButton text={codes.join('\n')} what="recovery codes" />
        </div>
      </Card>
      <div>
        <Button kind="primary" onClick={onDone}>
          I have saved them
        </Button>
      </div>
    </>
  );
}
