// The page of an invitation to an organization or a Mark: what it is for, and accepting or declining it.

import { type InvitationPreview, normalizeEmail, type User } from '@provenance-registry/core';
import { useCallback, useEffect } from 'preact/compat';
import * as texts from '#texts/organizations/invitation';
import { hasErrorCode } from '../../errorMessages.js';
import { useLinkToken } from '../../linkToken.js';
import { useRegistryClient } from '../../registryClient.js';
import { navigate, useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { useStore } from '../../store.js';
import { ErrorNotice } from '../../ui/feedback/ErrorNotice.js';
import { showFlash } from '../../ui/feedback/FlashNotice.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import { Button, buttonClass } from '../../ui/form/Button.js';
import { useAction } from '../../ui/form/useAction.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { Link } from '../../ui/text/Link.js';
import { loginUrl } from '../login/returnPath.js';
import { InvitationActions, InvitationText } from './InvitationActions.js';
import { invitationToken, storeInvitationToken } from './invitationToken.js';

const PATH = '/invitation';

export function InvitationPage() {
  useTitle(texts.title);
  const opened = useLinkToken();
  const stored = useStore(invitationToken);
  // The token in the address, which it has left, replaces an older one.
  useEffect(() => {
    if (opened !== '') storeInvitationToken(opened);
  }, [opened]);
  const token = opened || stored;
  return (
    <div className={basics.stack}>
      <h1>{texts.title}</h1>
      {token === undefined ? <NoInvitation /> : <InvitationLoader key={token} token={token} />}
    </div>
  );
}

function NoInvitation() {
  return (
    <>
      <p className={basics.lead}>{texts.openLink}</p>
      <p>{texts.alsoOnDashboard}</p>
      <p>
        <Link to="/dashboard" className={buttonClass()}>
          {texts.openDashboard}
        </Link>
      </p>
    </>
  );
}

function InvitationLoader({ token }: { readonly token: string }) {
  const client = useRegistryClient();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [invitation, me] = await Promise.all([
        client.previewInvitation({ token }, { signal }),
        client.hasCredential ? client.getMe({ signal }) : undefined,
      ]);
      return { invitation, user: me?.user };
    },
    [client, token],
  );
  const query = useQuery(load);
  if (hasErrorCode(query.error, 'NOT_FOUND')) return <InvalidInvitation />;
  return (
    <QueryView query={query} what={texts.theInvitation}>
      {({ invitation, user }) => (
        <InvitationView token={token} invitation={invitation} user={user} onRetry={query.reload} />
      )}
    </QueryView>
  );
}

function InvalidInvitation() {
  return (
    <Notice tone="bad" title={texts.isInvalid}>
      <p>{texts.isInvalidReason}</p>
    </Notice>
  );
}

interface InvitationViewProps {
  readonly token: string;
  readonly invitation: InvitationPreview;
  /** Undefined without a session. */
  readonly user: User | undefined;
  readonly onRetry: () => void;
}

function InvitationView({ token, invitation, user, onRetry }: InvitationViewProps) {
  const client = useRegistryClient();
  const leave = (path: string, message: string) => {
    navigate(path);
    storeInvitationToken(undefined);
    showFlash(message);
  };
  const isForUser = user !== undefined && (!invitation.requiresEmail || hasAddress(user, invitation));
  return (
    <Card>
      <InvitationText invitation={invitation} />
      {user === undefined && <LogInFirst invitation={invitation} />}
      {user && !isForUser && <OtherAddress invitation={invitation} user={user} />}
      {isForUser && invitation.requiresEmail && !user.emailVerified && <VerifyFirst onRetry={onRetry} />}
      {isForUser && (user.emailVerified || !invitation.requiresEmail) && (
        <>
          <p className={basics.quiet}>{texts.loggedInAs(<bdi>{user.email ?? user.name}</bdi>)}</p>
          <div className={basics.row}>
            <InvitationActions
              client={client}
              token={token}
              invitation={invitation}
              onAccepted={leave}
              onDeclined={(message) => leave('/dashboard', message)}
            />
          </div>
        </>
      )}
    </Card>
  );
}

function hasAddress(user: User, { email }: InvitationPreview): boolean {
  return user.email !== null && email !== null && normalizeEmail(user.email) === normalizeEmail(email);
}

function LogInFirst({ invitation: { email, requiresEmail } }: Pick<InvitationViewProps, 'invitation'>) {
  return (
    <>
      <p>{requiresEmail ? texts.logInWith(<bdi>{email}</bdi>) : texts.logInFirst}</p>
      <div className={basics.row}>
        <Link to={loginUrl('/login', PATH)} className={buttonClass('primary')}>
          {texts.logIn}
        </Link>
        <Link to={loginUrl('/signup', PATH)} className={buttonClass()}>
          {texts.signUp}
        </Link>
      </div>
    </>
  );
}

function OtherAddress({ invitation, user }: { invitation: InvitationPreview; user: User }) {
  const client = useRegistryClient();
  const { isBusy, error, run } = useAction(async () => {
    await client.logOut();
    navigate(loginUrl('/login', PATH));
    setToken(undefined);
  });
  const actions = (
    <Button isBusy={isBusy} onClick={() => run()}>
      {texts.otherAccount}
    </Button>
  );
  return (
    <>
      <Notice tone="warn" title={texts.otherAddress} actions={actions}>
        <p>{texts.otherAddressReason(<bdi>{invitation.email}</bdi>, <bdi>{user.email ?? user.name}</bdi>)}</p>
      </Notice>
      <ErrorNotice error={error} />
    </>
  );
}

function VerifyFirst({ onRetry }: Pick<InvitationViewProps, 'onRetry'>) {
  const actions = (
    <>
      <Link to="/dashboard/account" className={buttonClass()}>
        {texts.openSettings}
      </Link>
      <Button onClick={onRetry}>{texts.checkAgain}</Button>
    </>
  );
  return (
    <Notice tone="warn" title={texts.verifyFirst} actions={actions}>
      <p>{texts.verifyFirstReason}</p>
    </Notice>
  );
}
