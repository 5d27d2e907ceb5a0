// How the maker of an unknown file registers it. Not a button: most visitors have not made the file that they look up.

import { Link } from './Link.js';

interface RegisterHintProps {
  /** What is known about the file. Passed in the fragment, which browsers never send. */
  readonly fields: Readonly<Record<string, string>>;
}

export function RegisterHint({ fields }: RegisterHintProps) {
  return (
    <p className="quiet">
      This service does not know who made this file. If you made it, or may speak for its maker, you can{' '}
      <Link to={`/dashboard/register#${new URLSearchParams(fields)}`}>register it</Link>.
    </p>
  );
}
