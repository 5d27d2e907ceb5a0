// The recovery codes of a new second factor, to be saved before the page is left.

import * as texts from '#texts/account';
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
    const text = [texts.codesFor(account), texts.codesWorkOnce, '', ...codes, ''].join('\n');
    saveFile(new Blob([text], { type: 'text/plain' }), 'recovery-codes.txt');
  };
  return (
    <>
      <h1>{texts.saveCodes}</h1>
      <Notice tone="good" isAlert>
        <p>{texts.factorIsOn}</p>
      </Notice>
      <Card>
        <p>{texts.codesMeaning}</p>
        <p className="quiet">{account}</p>
        <ul className="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className="row">
          <Button onClick={download}>{texts.download}</Button>
          <Button onClick={() => print()}>{texts.print}</Button>
          <CopyButton text={codes.join('\n')} what={texts.theCodes} />
        </div>
      </Card>
      <div>
        <Button kind="primary" onClick={onDone}>
          {texts.codesSaved}
        </Button>
      </div>
    </>
  );
}
