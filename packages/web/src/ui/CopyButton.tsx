// Copies a text and shows whether that worked.

import { useState } from 'preact/compat';
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

/** The Clipboard API is missing on plain HTTP, and users can deny it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
}

function copyWithSelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
