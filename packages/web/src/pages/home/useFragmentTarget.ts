// Scrolls to the element that the fragment of the address names, which browsers do only for elements that exist when the
// document loads.

import { useEffect } from 'preact/compat';
import { useCurrentUrl } from '../../routing.js';

export function useFragmentTarget(): void {
  const { hash } = useCurrentUrl();
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(hash.slice(1));
    if (!target) return;
    if (target instanceof HTMLDetailsElement) target.open = true;
    target.scrollIntoView();
    target.dataset['target'] = '';
    return () => {
      delete target.dataset['target'];
    };
  }, [hash]);
}
