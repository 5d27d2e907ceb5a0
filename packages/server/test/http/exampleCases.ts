// What the examples of the OpenAPI document need to run one after the other, in any language.

import { TOTP } from 'otpauth';
import { expect } from 'vitest';
import {
  addMarkMember,
  addMember,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { type MailServer, verifyAddress } from '../../../../test/support/mailServer.js';
import { call, type Service, waitForLog } from '../../../../test/support/service.js';
import { asStamper, makeAuthority, makeToken } from '../../../../test/support/timestampForge.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { contest, contestWithFile } from '../support/claims.js';

type Variables = Readonly<Record<string, string>>;

/** Values that a user would copy from a response into the next examples. */
export const variables: Record<
  string,
  (answer: {
    id: string;
    token: string;
    fingerprint: string;
    domain: string;
    user: { id: string };
  }) => Record<string, string>
> = {
  signUp: ({ token, user }) => ({ TOKEN: token, USER_ID: user.id }),
  createOrganization: ({ id }) => ({ ORGANIZATION_ID: id }),
  createOrganizationInvitation: ({ id }) => ({ INVITATION_ID: id }),
  createMarkInvitation: ({ id }) => ({ INVITATION_ID: id }),
  createMark: ({ id }) => ({ MARK_ID: id }),
  claimDomain: ({ domain }) => ({ DOMAIN: domain }),
  createClaim: ({ id }) => ({ CLAIM_ID: id }),
  createApiKey: ({ id }) => ({ KEY_ID: id }),
  createWebhook: ({ id }) => ({ WEBHOOK_ID: id }),
  createArtifact: ({ id, fingerprint }) => ({
    MANIFEST_ID: id,
    FINGERPRINT: fingerprint,
    PREFIX: String(fingerprint).slice(2, 6),
  }),
};

/** By operation: variables for one example only, mostly of users that it uses up. */
export function createPreparations(
  service: Service,
  mailServer: MailServer,
): Record<string, (shell: Variables) => Promise<Variables>> {
  return {
    logOut: createAccount,
    verifyEmail: async () => ({ LINK_TOKEN: (await mailServer.nextMail((await createUser(service)).email)).token }),
    confirmPasswordReset: async () => {
      const { email } = await createUser(service);
      await mailServer.nextMail(email);
      await call(service, 'POST', '/api/v1/auth/password-reset', { body: { email } });
      return { LINK_TOKEN: (await mailServer.nextMail(email)).token };
    },
    changePassword: createAccount,
    changeEmail: createAccount,
    resendVerification: createAccount,
    startTotp: createAccount,
    confirmTotp: startSecondFactor,
    removeTotp: async () => {
      const { TOKEN, TOTP_CODE } = await startSecondFactor();
      await call(service, 'POST', '/api/v1/me/totp/confirm', { token: TOKEN, body: { code: TOTP_CODE } });
      return { TOKEN };
    },
    endSession: async () => {
      const { TOKEN } = await createAccount();
      const [session] = (await call(service, 'GET', '/api/v1/me/sessions', { token: TOKEN })).body;
      return { TOKEN, SESSION_ID: session.id };
    },
    endSessions: createAccount,
    getDownloads: async () => {
      await waitForLog(service, 'downloads: a new version is published');
      return {};
    },
    getLastAnchor: async () => {
      const isAnchored = async () => (await call(service, 'GET', '/api/v1/public/log/anchor')).status === 200;
      await waitUntil(isAnchored, 'the log is anchored');
      return {};
    },
    closeAccount: createAccount,
    // Only senders with a verified address may have invitations mailed.
    createOrganizationInvitation: async () => {
      await verifyAddress(service, mailServer, 'ada@example.com');
      return {};
    },
    updateOrganizationMember: addToOrganization,
    removeOrganizationMember: addToOrganization,
    transferOrganization: async () => {
      const [owner, member] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
      const organizationId = await createOrganization(service, owner, 1);
      expect((await addMember(service, owner, organizationId, member)).status).toBe(200);
      return { TOKEN: owner.token, ORGANIZATION_ID: organizationId, MEMBER_ID: member.id };
    },
    removeMarkMember: async (shell) => ({ USER_ID: await addToMark(shell) }),
    putMarkAdmin: async ({ TOKEN = '' }) => {
      const { id } = (await createMark(service, { token: TOKEN })).body;
      return { MARK_ID: id, MEMBER_ID: await addToMark({ TOKEN, MARK_ID: id }) };
    },
    previewInvitation: inviteToMark,
    acceptInvitation: inviteToMark,
    declineInvitation: inviteToMark,
    createClaim: async () => ({ TOKEN: (await createClaimant()).token }),
    getClaimEvidence: async ({ FINGERPRINT = '' }) => {
      const signer = await makeAuthority({ extensions: asStamper() });
      const token = makeToken({ imprint: Buffer.from(FINGERPRINT.slice(2), 'hex'), signer });
      return { CLAIM_ID: (await contestWithFile(service, await createClaimant(), FINGERPRINT, token)).body.id };
    },
    withdrawClaim: async ({ FINGERPRINT = '' }) => {
      const claimant = await createClaimant();
      return { TOKEN: claimant.token, CLAIM_ID: (await contest(service, claimant, FINGERPRINT)).body.id };
    },
    concedeClaim: async ({ FINGERPRINT = '' }) => {
      const claimant = await createClaimant();
      const markId = (await createMark(service, claimant)).body.id;
      return { CLAIM_ID: (await contest(service, claimant, FINGERPRINT, { markId })).body.id };
    },
  };

  /** The address is verified, as the service requires where it sends mail. */
  async function createClaimant(): Promise<TestUser> {
    const user = await createUser(service);
    await verifyAddress(service, mailServer, user.email);
    return user;
  }

  async function createAccount(): Promise<{ TOKEN: string }> {
    return { TOKEN: (await createUser(service)).token };
  }

  async function startSecondFactor(): Promise<{ TOKEN: string; TOTP_CODE: string }> {
    const { TOKEN } = await createAccount();
    const body = { password: 'correct horse battery' };
    const { secret } = (await call(service, 'POST', '/api/v1/me/totp', { token: TOKEN, body })).body;
    return { TOKEN, TOTP_CODE: new TOTP({ secret }).generate() };
  }

  async function addToOrganization({ TOKEN = '', ORGANIZATION_ID = '' }): Promise<{ USER_ID: string }> {
    const user = await createUser(service);
    expect((await addMember(service, { token: TOKEN }, ORGANIZATION_ID, user)).status).toBe(200);
    return { USER_ID: user.id };
  }

  async function addToMark({ TOKEN = '', MARK_ID = '' }): Promise<string> {
    const user = await createUser(service);
    expect((await addMarkMember(service, { token: TOKEN }, MARK_ID, user)).status).toBe(200);
    return user.id;
  }

  async function inviteToMark({ TOKEN = '', MARK_ID = '' }): Promise<{ TOKEN: string; LINK_TOKEN: string }> {
    const path = `/api/v1/marks/${MARK_ID}/invitations`;
    const { body } = await call(service, 'POST', path, { token: TOKEN, body: {} });
    return { ...(await createAccount()), LINK_TOKEN: body.token };
  }
}
