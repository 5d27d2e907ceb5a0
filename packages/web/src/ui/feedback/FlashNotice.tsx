// A message about what was just done, on the page that follows it, until the user leaves that page.

import { useEffect } from 'preact/compat';
import { createStore, useStore } from '../../store.js';
import { Notice, type Tone } from './Notice.js';
import * as noticeStyles from './Notice.module.css';

const flash = createStore<{ text: string; tone: Tone; pathname: string } | undefined>(undefined);

/** Call it after navigating: the message belongs to the current page. */
export function showFlash(text: string, tone: Tone = 'good'): void {
  flash.set({ text, tone, pathname: location.pathname });
}

export function FlashNotice({ pathname }: { readonly pathname: string }) {
  const shown = useStore(flash);
  useEffect(() => {
    if (shown && shown.pathname !== pathname) flash.set(undefined);
  }, [shown, pathname]);
  if (shown?.pathname !== pathname) return null;
  return (
    <div className={noticeStyles.flash}>
      <Notice tone={shown.tone} isAlert>
        <p>{shown.text}</p>
      </Notice>
    </div>
  );
}
