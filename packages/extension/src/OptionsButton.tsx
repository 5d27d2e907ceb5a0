// Opens the options of the extension.

import { Button } from '@provenance-registry/web/ui/form/Button.js';

export function OptionsButton({ label }: { readonly label: string }) {
  return <Button onClick={() => void chrome.runtime.openOptionsPage()}>{label}</Button>;
}
