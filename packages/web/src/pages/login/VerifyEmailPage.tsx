// Verifies an email address, with the token of a mailed link.

import { ApiError } from '@provenance-registry/client';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/login';
import { useLinkToken } from '../../linkToken.js';
import { createPageClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { useValidToken } from '../../session.js';
import { buttonClass } from '../../ui/Button.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { useQuery } from '../../ui/query.js';
import './login.css';

export function VerifyEmailPage() {
  useTitle(texts.verifyEmail);
  const token = useLinkToken();
  return (
    <div className="login">
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
      <p className="quiet" role="status">
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
