// Logging in and signing up. Afterwards one is where one was going.

import type { Session } from '@provenance-registry/core';
import { useEffect } from 'react';
import { explain, hasCode, serviceWith } from '../../registryClient.js';
import { Link, navigate, useAddress, useTitle } from '../../routing.js';
import { keepToken, useIsSessionOver, useToken } from '../../session.js';
import { Card } from '../../ui/Card.js';
import { FieldError, Form, PasswordField, TextField } from '../../ui/Form.js';
import { Notice } from '../../ui/Notice.js';
import { wrongEmail, wrongName, wrongNewPassword, wrongPassword } from '../dashboard/validators.js';
import '../dashboard/dashboard.css';

const HOME = '/dashboard';

/**
 * The way to log in or sign up and then on to an address. Its fragment stays one, for it may name a file, and only
 * fragments are never sent to the service, reloading included.
 */
export function entrance(path: '/login' | '/signup', next: string, { hasEnded = false } = {}): string {
  const { pathname, search, hash } = new URL(next, location.origin);
  return `${path}?${hasEnded ? 'ended&' : ''}next=${encodeURIComponent(pathname + search)}${hash}`;
}

/** Where to go afterwards: an address of this page, whatever the link says. */
function useNext(): string {
  const { searchParams, hash } = useAddress();
  const next = searchParams.get('next') ?? HOME;
  if (!URL.canParse(next, location.origin)) return HOME;
  const { origin, pathname, search } = new URL(next, location.origin);
  return origin === location.origin ? pathname + search + hash : HOME;
}

export function LoginPage() {
  useTitle('Log in');
  const next = useNext();
  const isEnded = useAddress().searchParams.has('ended');
  useLeaveWhenLoggedIn(next);
  return (
    <div className="entrance">
      <h1>Log in</h1>
      {isEnded && (
        <Notice>
          <p>You were logged out because some time has passed. Log in, and go on where you were.</p>
        </Notice>
      )}
      <Card>
        <LoginForm onSession={({ token }) => keepToken(token)} />
      </Card>
      <p>
        No account yet? <Link to={entrance('/signup', next)}>Sign up</Link>
      </p>
    </div>
  );
}

export function SignupPage() {
  useTitle('Sign up');
  const next = useNext();
  useLeaveWhenLoggedIn(next);
  return (
    <div className="entrance">
      <h1>Sign up</h1>
      <p className="quiet">To register files under a name of yours. Verifying needs no account.</p>
      <Card>
        <SignupForm />
      </Card>
      <p>
        You have an account? <Link to={entrance('/login', next)}>Log in</Link>
      </p>
    </div>
  );
}

/** Also when somebody logs in in another tab. */
function useLeaveWhenLoggedIn(next: string): void {
  const isLoggedIn = useToken() !== undefined;
  // With a token that is of no use it would lead straight back here.
  const isOver = useIsSessionOver();
  useEffect(() => {
    if (isLoggedIn && !isOver) navigate(next, { replace: true });
  }, [isLoggedIn, isOver, next]);
}

interface LoginFormProps {
  readonly email?: string | undefined;
  readonly onSession: (session: Session) => void;
}

export function LoginForm({ email, onSession }: LoginFormProps) {
  const logIn = async (values: { email: string; password: string }) => {
    onSession(await anybody().logIn({ email: values.email.trim(), password: values.password }));
  };
  return (
    <Form
      checks={{ email: (text) => wrongEmail(text.trim()), password: wrongPassword }}
      submit={logIn}
      refusals={{ UNAUTHORIZED: 'This email address and this password do not belong together.' }}
      action="Log in"
      busyAction="Logging in …"
    >
      {(errors) => (
        <>
          <TextField
            name="email"
            type="email"
            label="Email address"
            autoComplete="username"
            defaultValue={email}
            isFirst={email === undefined}
            error={errors.email}
          />
          <PasswordField autoComplete="current-password" isFirst={email !== undefined} error={errors.password} />
        </>
      )}
    </Form>
  );
}

function SignupForm() {
  const signUp = async ({ name, email, password }: { name: string; email: string; password: string }) => {
    try {
      const { token } = await anybody().signUp({ name: name.trim(), email: email.trim(), password });
      keepToken(token);
    } catch (error) {
      if (!hasCode(error, 'CONFLICT')) throw error;
      throw new FieldError('email', explain(error, { CONFLICT: 'This address has an account. Log in instead.' }));
    }
  };
  return (
    <Form
      checks={{ name: wrongName, email: (text) => wrongEmail(text.trim()), password: wrongNewPassword }}
      submit={signUp}
      action="Sign up"
      busyAction="Signing up …"
    >
      {(errors) => (
        <>
          <TextField
            name="name"
            label="Your name"
            autoComplete="name"
            hint="Others see it beside what you register under a public Mark."
            isFirst
            error={errors.name}
          />
          <TextField name="email" type="email" label="Email address" autoComplete="email" error={errors.email} />
          <PasswordField autoComplete="new-password" hint="At least 10 characters." error={errors.password} />
        </>
      )}
    </Form>
  );
}

/** Whoever logs in is nobody yet. */
function anybody() {
  return serviceWith(() => undefined);
}
