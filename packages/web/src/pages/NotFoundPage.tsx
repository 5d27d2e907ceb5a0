// The page for unknown addresses.

import * as texts from '#texts/site/layout';
import { useTitle } from '../routing.js';
import { buttonClass } from '../ui/form/Button.js';
import { Link } from '../ui/text/Link.js';

export function NotFoundPage() {
  useTitle(texts.notFound);
  return (
    <>
      <h1>{texts.notFound}</h1>
      <p>{texts.notFoundReason}</p>
      <Link to="/" className={buttonClass('primary')}>
        {texts.verifyFile}
      </Link>
    </>
  );
}
