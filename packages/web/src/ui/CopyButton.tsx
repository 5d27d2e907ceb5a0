// Copies a text and shows whether that worked.

import { useState } from 'preact/compat';
import { copyText } from './copyText.js';
import { Icon } from './Icon.js';
import { announce } from './LiveRegion.js';

const FEEDBACK_MS = 2_000;

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, as in "Copy the fingerprint". */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [feedback, setFeedback] = useState<'Copied' | 'Copy failed'>();
  const copy = async () => {
    const result = (await copyText(text)) ? 'Copied' : 'Copy failed';
    setFeedback(result);
    announce(result);
    setTimeout(() => setFeedback(undefined), FEEDBACK_MS);
  };
  return (
    <button type="button" className="button button-quiet copy" aria-label={`Copy ${what}`} onClick={copy}>
      <Icon name={feedback === 'Copied' ? 'check' : feedback === undefined ? 'copy' : 'cross'} />
      {feedback ?? 'Copy'}
    </button>
  );
}
