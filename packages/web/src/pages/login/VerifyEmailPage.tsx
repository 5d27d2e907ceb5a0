// Verifies an email address, with the token of a mailed link.

import { ApiError } from '@provenance-registry/client';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/accounts/login';
import { useLinkToken } from '../../linkToken.js';
import { createPageClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { useValidToken } from '../../session.js';
import { ErrorNotice } from '../../ui/feedback/ErrorNotice.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { useQuery } from '../../ui/feedback/query.js';
import { buttonClass } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Link } from '../../ui/text/Link.js';
import * as loginStyles from './Login.module.css';

export function VerifyEmailPage() {
  useTitle(texts.verifyEmail);
  const token = useLinkToken();
  return (
    <div className={loginStyles.login}>
      <h1>{texts.verifyEmail}</h1>
      {token === '' ? (
        <Notice tone="warn" isAlert>
          <p>{texts.invalidEmailLink}</p>
        </Notice>
      ) : (
        <Verification key={token} token={token} />
      )}
      <NextPage />
    </div>
  );
}

function Verification({ token }: { readonly token: string }) {
  const verify = useCallback(async () => {
    // Not aborted when the page is left: the token works once.
    await createPageClient(() => undefined).verifyEmail({ token });
    return true;
  }, [token]);
  const { value: isVerified, error, isLoading, reload } = useQuery(verify);
  if (error !== undefined) {
    const messages = {
      NOT_FOUND: texts.invalidEmailLink,
      CONFLICT: texts.emailTakenMeanwhile,
    };
    const onRetry = error instanceof ApiError ? undefined : reload;
    return <ErrorNotice error={error} messages={messages} onRetry={onRetry} isBusy={isLoading} />;
  }
  if (!isVerified) {
    return (
      <p className={basics.quiet} role="status">
        {texts.verifyingEmail}
      </p>
    );
  }
  return (
    <Notice tone="good" isAlert>
      <p>{texts.emailVerified}</p>
    </Notice>
  );
}

function NextPage() {
  const isLoggedIn = useValidToken() !== undefined;
  return (
    <p>
      <Link to={isLoggedIn ? '/dashboard' : '/login'} className={buttonClass('primary')}>
        {isLoggedIn ? texts.toDashboard : texts.logIn}
      </Link>
    </p>
  );
}
