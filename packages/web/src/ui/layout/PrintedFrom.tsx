// The address of the page, on paper alone.

import * as texts from '#texts/site/ui';
import * as basics from './basics.module.css';

export function PrintedFrom() {
  return <p className={basics.printOnly}>{texts.printedFrom(location.origin + location.pathname)}</p>;
}
