// Copies a text, and says whether that worked.

import { useState } from 'react';
import { Icon } from './Icon.js';
import { announce } from './LiveRegion.js';

/** Long enough to be noticed, short enough to be ready for the next. */
const SAY_DONE_MS = 2_000;

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, as in "Copy the fingerprint". */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [said, setSaid] = useState<string>();
  const copy = async () => {
    const outcome = (await copied(text)) ? 'Copied' : 'Not copied';
    setSaid(outcome);
    announce(outcome);
    setTimeout(() => setSaid(undefined), SAY_DONE_MS);
  };
  return (
    <button type="button" className="button button-quiet copy" aria-label={`Copy ${what}`} onClick={copy}>
      <Icon name={said === 'Copied' ? 'check' : said === undefined ? 'copy' : 'cross'} />
      {said ?? 'Copy'}
    </button>
  );
}

/** Pages that came over plain HTTP have no clipboard of the new kind, and people can refuse it. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

function copiedByHand(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isDone;
}
