// Leads to the first registered file.

import * as texts from '#texts/home';
import { useValidToken } from '../../session.js';
import { buttonClass } from '../../ui/Button.js';
import { Link } from '../../ui/Link.js';

/** `hasDetails`: with a link to the page that explains how it works. */
export function CallToAction({ hasDetails = true }: { readonly hasDetails?: boolean }) {
  const isLoggedIn = useValidToken() !== undefined;
  return (
    <section className="home-action" aria-labelledby="sign-up">
      <div>
        <h2 id="sign-up">{texts.signUpTitle}</h2>
        <p className="quiet">{texts.signUpText}</p>
      </div>
      <div className="row">
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
