// How the maker of an unknown file registers it. Not a button: most visitors have not made the file that they look up.

import * as texts from '#texts/site/ui';
import * as basics from '../layout/basics.module.css';
import { Link } from '../text/Link.js';

interface RegisterHintProps {
  /** What is known about the file. Passed in the fragment, which browsers never send. */
  readonly fields: Readonly<Record<string, string>>;
}

export function RegisterHint({ fields }: RegisterHintProps) {
  return (
    <p className={basics.quiet}>
      {texts.registerHint((text) => (
        <Link to={`/dashboard/register#${new URLSearchParams(fields)}`}>{text}</Link>
      ))}
    </p>
  );
}
