// The page for unknown addresses.

import { useTitle } from '../routing.js';
import { buttonClass } from '../ui/Button.js';
import { Link } from '../ui/Link.js';

export function NotFoundPage() {
  useTitle('Page not found');
  return (
    <>
      <h1>Page not found</h1>
      <p>The address may be wrong, or the page was moved.</p>
      <Link to="/" className={buttonClass('primary')}>
        Verify a file
      </Link>
    </>
  );
}
