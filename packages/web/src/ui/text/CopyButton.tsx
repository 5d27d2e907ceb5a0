// Copies a text and shows whether that worked.

import { useState } from 'preact/compat';
import * as texts from '#texts/site/ui';
import { announce } from '../feedback/LiveRegion.js';
import { buttonClass } from '../form/Button.js';
import * as styles from './CopyButton.module.css';
import { copyText } from './copyText.js';
import { Icon } from './Icon.js';

const FEEDBACK_MS = 2_000;

const feedbackTexts = { copied: texts.copied, failed: texts.copyFailed };

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, as in "Copy the fingerprint". */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [feedback, setFeedback] = useState<'copied' | 'failed'>();
  const copy = async () => {
    const result = (await copyText(text)) ? 'copied' : 'failed';
    setFeedback(result);
    announce(feedbackTexts[result]);
    setTimeout(() => setFeedback(undefined), FEEDBACK_MS);
  };
  return (
    <button
      type="button"
      className={`${buttonClass('quiet')} ${styles.copy}`}
      aria-label={texts.copyWhat(what)}
      onClick={copy}
    >
      <Icon name={feedback === 'copied' ? 'check' : feedback === undefined ? 'copy' : 'cross'} />
      {feedback === undefined ? texts.copy : feedbackTexts[feedback]}
    </button>
  );
}
