// Leads to the first registered file.

import * as texts from '#texts/site/home';
import { useValidToken } from '../../session.js';
import { buttonClass } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Link } from '../../ui/text/Link.js';
import * as styles from './CallToAction.module.css';

/** `hasDetails`: with a link to the page that explains how it works. */
export function CallToAction({ hasDetails = true }: { readonly hasDetails?: boolean }) {
  const isLoggedIn = useValidToken() !== undefined;
  return (
    <section className={`${basics.spread} ${styles.action}`} aria-labelledby="sign-up">
      <div>
        <h2 id="sign-up">{texts.signUpTitle}</h2>
        <p className={basics.quiet}>{texts.signUpText}</p>
      </div>
      <div className={basics.row}>
        {isLoggedIn ? (
          <Link to="/dashboard/register" className={buttonClass('primary')}>
            {texts.toDashboard}
          </Link>
        ) : (
          <Link to="/signup" className={buttonClass('primary')}>
            {texts.signUp}
          </Link>
        )}
        {hasDetails && (
          <Link to="/how-it-works" className={buttonClass()}>
            {texts.moreAbout}
          </Link>
        )}
      </div>
    </section>
  );
}
