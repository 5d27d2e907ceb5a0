// The address of the page, on paper alone.

import * as texts from '#texts/ui';

export function PrintedFrom() {
  return <p className="print-only">{texts.printedFrom(location.origin + location.pathname)}</p>;
}
