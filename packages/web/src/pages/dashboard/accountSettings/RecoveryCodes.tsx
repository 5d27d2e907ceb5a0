// The recovery codes of a new second factor, to be saved before the page is left.

import * as texts from '#texts/accounts/account';
import { Notice } from '../../../ui/feedback/Notice.js';
import { saveFile } from '../../../ui/file/saveFile.js';
import { Button } from '../../../ui/form/Button.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { CopyButton } from '../../../ui/text/CopyButton.js';
import { useAccount } from '../account.js';
import * as styles from './RecoveryCodes.module.css';

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
        <p className={basics.quiet}>{account}</p>
        <ul className={`${basics.list} ${styles.codes}`}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className={basics.row}>
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
