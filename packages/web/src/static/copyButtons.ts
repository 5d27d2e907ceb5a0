// Buttons that copy the code next to them: `<button data-copy hidden>` in the element that contains the code.

import * as texts from '#texts/site/static';
import * as buttons from '../ui/form/Button.module.css';
import { copyText } from '../ui/text/copyText.js';
import { announce } from './announce.js';

const FEEDBACK_MS = 2_000;

export function showCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
    button.className = buttons.quiet;
    button.addEventListener('click', () => copyCode(button));
  }
}

async function copyCode(button: HTMLButtonElement): Promise<void> {
  const code = button.parentElement?.querySelector('code')?.textContent ?? '';
  const label = button.textContent;
  const feedback = (await copyText(code)) ? texts.copied : texts.copyFailed;
  button.textContent = feedback;
  button.disabled = true;
  announce(feedback);
  setTimeout(() => {
    button.textContent = label;
    button.disabled = false;
  }, FEEDBACK_MS);
}
