// A part of the page that is replaced while the user may be in it: it takes the focus of a button that is gone.

import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';

export function FocusHolder({ children }: { readonly children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const focused = useRef<Element>(null);
  useLayoutEffect(() => {
    if (focused.current?.isConnected !== false || document.activeElement !== document.body) return;
    focused.current = null;
    box.current?.focus();
  });
  return (
    <div
      ref={box}
      tabIndex={-1}
      onFocusIn={({ target }) => {
        focused.current = target instanceof Element ? target : null;
      }}
    >
      {children}
    </div>
  );
}
