// An address that leads nowhere.

import { Link, useTitle } from '../routing.js';
import { buttonClass } from '../ui/Button.js';

export function NotFoundPage() {
  useTitle('Nothing here');
  return (
    <>
      <h1>There is nothing here</h1>
      <p>The address may be mistyped, or what was here has moved.</p>
      <Link to="/" className={buttonClass('primary')}>
        Verify a file
      </Link>
    </>
  );
}
