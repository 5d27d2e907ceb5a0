// What operations need to succeed beyond the fixture: a caller with the role, and values that name the right objects.

import { TOTP } from 'otpauth';
import { addMarkMember, createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, fingerprintOf } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service } from '../../../../test/support/service.js';
import { contest, registerUnderNewMark } from '../support/claims.js';
import type { Fixture } from './fixture.js';
import type { Pool } from './values.js';

export interface Precondition {
  /** The token that most requests carry. */
  readonly token: string;
  /** Replaces values of the fixture's pool. */
  readonly pool?: Pool;
  /** Replaces the files that are sent. */
  readonly files?: readonly Buffer[];
}

type Prepare = (service: Service, fixture: Fixture) => Promise<Precondition>;

/** Of a new user, for operations that change an account for good. */
const newUser: Prepare = async (service) => ({ token: (await createUser(service)).token });

/** Of the organization's owner. */
const owner: Prepare = async (_, { users }) => ({ token: users.enterprise.token });

/** Of the organization's owner, who chooses a member. */
const ownerWithMember: Prepare = async (_, { users }) => ({
  token: users.enterprise.token,
  pool: { userId: [users.creator.id] },
});

/** Of the admin of a new Mark, in which another user is a member, with an open invitation. */
const markAdmin: Prepare = async (service) => {
  const [admin, member] = [await createUser(service, 'creator'), await createUser(service)];
  const markId = String((await createMark(service, admin)).body.id);
  await addMarkMember(service, admin, markId, member);
  const { body } = await call(service, 'POST', `/api/v1/marks/${markId}/invitations`, { ...admin, body: {} });
  return { token: admin.token, pool: { markId: [markId], userId: [member.id], invitationId: [body.id] } };
};

/** Of the admin of a new Mark that claims a domain, and of another Mark. */
const domainAdmin: Prepare = async (service) => {
  const admin = await createUser(service);
  const [markId, representativeId] = [
    (await createMark(service, admin)).body.id,
    (await createMark(service, admin)).body.id,
  ];
  const domain = `${randomUUID()}.example`;
  await call(service, 'POST', `/api/v1/marks/${markId}/domains`, { ...admin, body: { domain } });
  return { token: admin.token, pool: { markId: [markId], representativeId: [representativeId], domain: [domain] } };
};

/** A file with an open claim that names a public Mark. */
async function createContested(service: Service) {
  const [holder, claimant] = [await createUser(service), await createUser(service)];
  const { fingerprint } = await registerUnderNewMark(service, holder);
  const markId = String((await createMark(service, claimant)).body.id);
  const { body } = await contest(service, claimant, fingerprint, { markId });
  return { holder, claimant, pool: { claimId: [String(body.id)], fingerprint: [fingerprint] } };
}

/** Of the admin of the contested Mark. */
const contestedAdmin: Prepare = async (service) => {
  const { holder, pool } = await createContested(service);
  return { token: holder.token, pool };
};

const webhookOwner: Prepare = async (service) => {
  const { token } = await createUser(service);
  const url = 'https://receiver.example/hook';
  const { body } = await call(service, 'POST', '/api/v1/webhooks', { token, body: { url } });
  return { token, pool: { webhookId: [String(body.id)], url: [url], after: ['0'] } };
};

/** By operation. Those that succeed by chance are not listed. */
const preconditions: Readonly<Record<string, Prepare>> = {
  signUp: async (_, { users }) => ({ token: users.free.token, pool: { email: newAddresses() } }),
  closeAccount: newUser,
  async changePassword(service) {
    return { token: (await createUser(service)).token, pool: { newPassword: ['staple battery horse'] } };
  },
  async changeEmail(service) {
    return { token: (await createUser(service)).token, pool: { email: newAddresses() } };
  },
  startTotp: newUser,
  async confirmTotp(service) {
    const { token } = await createUser(service);
    return { token, pool: { code: [await startTotp(service, token)] } };
  },
  async removeTotp(service) {
    const { token } = await createUser(service);
    const code = await startTotp(service, token);
    await call(service, 'POST', '/api/v1/me/totp/confirm', { token, body: { code } });
    return { token };
  },

  putUsageUnits: owner,
  createOrganizationInvitation: owner,
  listOrganizationInvitations: owner,
  withdrawOrganizationInvitation: owner,
  listOrganizationEvents: owner,
  listEvents: owner,
  streamEvents: owner,
  getOrganizationOverview: owner,
  updateOrganizationMember: ownerWithMember,
  removeOrganizationMember: ownerWithMember,
  transferOrganization: ownerWithMember,
  acceptInvitation: newUser,
  declineInvitation: newUser,

  createMarkInvitation: markAdmin,
  withdrawMarkInvitation: markAdmin,
  removeMarkMember: markAdmin,
  putMarkAdmin: markAdmin,
  updateMark: markAdmin,
  putRepresentative: domainAdmin,
  async claimDomain(service, fixture) {
    const { token, pool } = await domainAdmin(service, fixture);
    return { token, pool: { ...pool, domain: [`${randomUUID()}.example`, `${randomUUID()}.example`] } };
  },
  listDomains: domainAdmin,
  listMarkLookalikes: owner,
  checkDomain: domainAdmin,
  removeDomain: domainAdmin,

  createWebhook: async (service) => ({
    token: (await createUser(service)).token,
    pool: { url: ['https://receiver.example/hook'] },
  }),
  getWebhook: webhookOwner,
  updateWebhook: webhookOwner,
  deleteWebhook: webhookOwner,
  rotateWebhookSecret: webhookOwner,
  verifyWebhook: webhookOwner,
  listWebhookDeliveries: webhookOwner,
  replayWebhook: webhookOwner,

  createApiKey: owner,
  deleteApiKey: owner,

  createArtifact: owner,
  createArtifacts: owner,
  createManifest: owner,
  async createSignedCopy(service) {
    const { token, id } = await createUser(service);
    const { body } = await createMark(service, { token });
    const image = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" id="${id}"></svg>`);
    const fingerprint = fingerprintOf(image);
    await createArtifact(service, { token }, { markId: body.id, fingerprint, filename: 'a.svg' });
    return { token, pool: { fingerprint: [fingerprint] }, files: [image] };
  },

  async createClaim(service) {
    const { pool } = await createContested(service);
    const { token } = await createUser(service);
    const markId = String((await createMark(service, { token })).body.id);
    return { token, pool: { fingerprint: pool.fingerprint, markId: [markId] } };
  },
  listArtifactClaims: contestedAdmin,
  answerClaim: contestedAdmin,
  concedeClaim: contestedAdmin,
  async withdrawClaim(service) {
    const { claimant, pool } = await createContested(service);
    return { token: claimant.token, pool };
  },
  async addOperatorNote(service, { operatorToken }) {
    return { token: operatorToken, pool: (await createContested(service)).pool };
  },

  putUserTier: async (_, { operatorToken }) => ({ token: operatorToken }),
};

const newAddresses = () => [`${randomUUID()}@example.com`, `${randomUUID()}@example.org`];

/** Undefined if the fixture is enough. */
export async function prepareOperation(
  operationId: string,
  service: Service,
  fixture: Fixture,
): Promise<Precondition | undefined> {
  return preconditions[operationId]?.(service, fixture);
}

/** Returns the code that confirms it. */
async function startTotp(service: Service, token: string): Promise<string> {
  const body = { password: 'correct horse battery' };
  const { secret } = (await call(service, 'POST', '/api/v1/me/totp', { token, body })).body;
  return new TOTP({ secret }).generate();
}
