// The log-in page.

import { useCurrentUrl, useTitle } from '../../routing.js';
import { Card } from '../../ui/Card.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { LoginForm } from './LoginForm.js';
import { loginUrl, useRedirectWhenLoggedIn, useReturnPath } from './returnPath.js';
import './login.css';

export function LoginPage() {
  useTitle('Log in');
  const returnPath = useReturnPath();
  const isSessionExpired = useCurrentUrl().searchParams.has('expired');
  useRedirectWhenLoggedIn(returnPath);
  return (
    <div className="login">
      <h1>Log in</h1>
      {isSessionExpired && (
        <Notice>
          <p>Your session has expired. Log in to continue where you left off.</p>
        </Notice>
      )}
      <Card>
        <LoginForm />
      </Card>
      <p>
        No account yet? <Link to={loginUrl('/signup', returnPath)}>Sign up</Link>
      </p>
    </div>
  );
}
