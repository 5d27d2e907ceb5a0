// Verifies an email address, with the token of a mailed link.

import { ApiError } from '@provenance-registry/client';
import { useCallback } from 'preact/compat';
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

const INVALID_LINK =
  'This link is not valid: it was used already, is older than 24 hours, or is incomplete. If your address is not ' +
  'verified yet, request another mail on the page of your account.';

export function VerifyEmailPage() {
  useTitle('Verify email address');
  const token = useLinkToken();
  return (
    <div className="login">
      <h1>Verify email address</h1>
      {token === '' ? (
        <Notice tone="warn" isAlert>
          <p>{INVALID_LINK}</p>
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
      NOT_FOUND: INVALID_LINK,
      CONFLICT: 'Another account has taken this email address in the meantime. Choose another one.',
    };
    const onRetry = error instanceof ApiError ? undefined : reload;
    return <ErrorNotice error={error} messages={messages} onRetry={onRetry} isBusy={isLoading} />;
  }
  if (!isVerified) {
    return (
      <p className="quiet" role="status">
        Verifying your email address …
      </p>
    );
  }
  return (
    <Notice tone="good" isAlert>
      <p>Your email address is verified.</p>
    </Notice>
  );
}

function NextPage() {
  const isLoggedIn = useValidToken() !== undefined;
  return (
    <p>
      <Link to={isLoggedIn ? '/dashboard' : '/login'} className={buttonClass('primary')}>
        {isLoggedIn ? 'Continue to the dashboard' : 'Log in'}
      </Link>
    </p>
  );
}
