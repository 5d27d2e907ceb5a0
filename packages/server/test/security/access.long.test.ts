// Every operation × every kind of caller, about the private resources of one organization. Refused requests change nothing,
// and no response contains what its caller must not know. An operation without a line in the table fails.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { readDocument } from '../fuzz/document.js';
import { openStateSnapshots, type StateSnapshots } from '../fuzz/stateSnapshot.js';
import {
  type Actor,
  endsSession,
  logInAgain,
  type OperationId,
  renewed,
  secrets,
  send,
  startTenants,
  type Tenants,
  type Values,
} from './tenants.js';

/** The columns of the table. `markMember` is a member of the private Mark, not of the organization. */
const actors = [
  ...(['anonymous', 'forged', 'stranger', 'rival', 'rivalMember', 'rivalKey', 'operator'] as const),
  ...(['markMember', 'member', 'admin', 'key', 'owner'] as const),
] satisfies readonly Actor[];

type Statuses = readonly number[];
/** Documented as public. Of the private Mark's Artifact only the redacted form is shown. */
const open: Statuses = actors.map(() => 200);
const toNone = (status: number): Statuses => actors.map(() => status);

/** The status for each actor, in the order above. */
const table: Readonly<Record<OperationId, Statuses>> = {
  signUp: toNone(409),
  logIn: toNone(401),
  getMe: [401, 401, 200, 200, 200, 200, 401, 200, 200, 200, 200, 200],
  logOut: [401, 401, 204, 204, 204, 403, 401, 204, 204, 204, 403, 204],
  verifyEmail: toNone(404),
  requestPasswordReset: toNone(404),
  confirmPasswordReset: toNone(404),
  updateMe: [401, 401, 200, 200, 200, 403, 401, 200, 200, 200, 403, 200],
  changePassword: [401, 401, 401, 401, 401, 403, 401, 401, 401, 401, 403, 401],
  changeEmail: [401, 401, 401, 401, 401, 403, 401, 401, 401, 401, 403, 401],
  resendVerification: [401, 401, 404, 404, 404, 403, 401, 404, 404, 404, 403, 404],
  startTotp: [401, 401, 401, 401, 401, 403, 401, 401, 401, 401, 403, 401],
  confirmTotp: [401, 401, 409, 409, 409, 403, 401, 409, 409, 409, 403, 409],
  removeTotp: [401, 401, 401, 401, 401, 403, 401, 401, 401, 401, 403, 401],
  listSessions: [401, 401, 200, 200, 200, 403, 401, 200, 200, 200, 403, 200],
  endSession: [401, 401, 404, 404, 404, 403, 401, 404, 404, 404, 403, 204],
  endSessions: [401, 401, 204, 204, 204, 403, 401, 204, 204, 204, 403, 204],
  exportAccount: [401, 401, 200, 200, 200, 403, 401, 200, 200, 200, 403, 200],
  closeAccount: [401, 401, 401, 401, 401, 403, 401, 401, 401, 401, 403, 401],
  transferOrganization: [401, 401, 404, 404, 404, 403, 401, 404, 403, 403, 403, 403],
  createOrganizationInvitation: [401, 401, 404, 404, 404, 403, 401, 404, 403, 403, 201, 201],
  listOrganizationInvitations: [401, 401, 404, 404, 404, 403, 401, 404, 403, 403, 200, 200],
  withdrawOrganizationInvitation: [401, 401, 404, 404, 404, 403, 401, 404, 403, 403, 204, 204],
  listOrganizationEvents: [401, 401, 404, 404, 404, 403, 401, 404, 403, 200, 200, 200],
  listEvents: [401, 401, 404, 404, 404, 403, 401, 404, 403, 200, 200, 200],
  streamEvents: [401, 401, 404, 404, 404, 403, 401, 404, 403, 200, 200, 200],
  createWebhook: [401, 401, 404, 404, 404, 403, 401, 404, 403, 201, 201, 201],
  listWebhooks: [401, 401, 404, 404, 404, 403, 401, 404, 403, 200, 200, 200],
  getWebhook: [401, 401, 404, 404, 404, 404, 401, 404, 404, 200, 200, 200],
  updateWebhook: [401, 401, 404, 404, 404, 404, 401, 404, 404, 200, 200, 200],
  deleteWebhook: [401, 401, 404, 404, 404, 404, 401, 404, 404, 204, 204, 204],
  verifyWebhook: [401, 401, 404, 404, 404, 404, 401, 404, 404, 200, 200, 200],
  rotateWebhookSecret: [401, 401, 404, 404, 404, 404, 401, 404, 404, 200, 200, 200],
  listWebhookDeliveries: [401, 401, 404, 404, 404, 404, 401, 404, 404, 200, 200, 200],
  replayWebhook: [401, 401, 404, 404, 404, 404, 401, 404, 404, 200, 200, 200],
  putMarkAdmin: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 200],
  createMarkInvitation: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 201, 201],
  listMarkInvitations: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 200, 200],
  withdrawMarkInvitation: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 204, 204],
  listReceivedInvitations: [401, 401, 200, 200, 200, 403, 401, 200, 200, 200, 403, 200],
  // The invitation names the owner, and its token is the secret.
  previewInvitation: open,
  acceptInvitation: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 409],
  declineInvitation: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 204],
  putSubscription: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 403],
  createOrganization: [401, 401, 403, 201, 403, 403, 401, 403, 403, 403, 403, 201],
  listOrganizations: [401, 401, 200, 200, 200, 200, 401, 200, 200, 200, 200, 200],
  getOrganization: [401, 401, 404, 404, 404, 403, 401, 404, 200, 200, 200, 200],
  getOrganizationOverview: [401, 401, 404, 404, 404, 403, 401, 404, 200, 200, 200, 200],
  putUsageUnits: [401, 401, 404, 404, 404, 403, 401, 404, 403, 403, 200, 200],
  listOrganizationMembers: [401, 401, 404, 404, 404, 403, 401, 404, 200, 200, 200, 200],
  updateOrganizationMember: [401, 401, 404, 404, 404, 403, 401, 404, 403, 403, 403, 200],
  removeOrganizationMember: [401, 401, 404, 404, 404, 403, 401, 404, 403, 403, 204, 204],
  createMark: [401, 401, 403, 403, 403, 403, 401, 403, 403, 201, 201, 201],
  listMarks: [401, 401, 200, 200, 200, 200, 401, 200, 200, 200, 200, 200],
  getMark: [401, 401, 403, 403, 403, 403, 401, 200, 200, 200, 200, 200],
  updateMark: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 200, 200],
  removeMarkMember: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 204, 204],
  putRepresentative: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 200, 200],
  claimDomain: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 201, 201],
  listDomains: [401, 401, 403, 403, 403, 403, 401, 200, 200, 200, 200, 200],
  listMarkLookalikes: [401, 401, 403, 403, 403, 403, 401, 200, 200, 200, 200, 200],
  checkDomain: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 202, 202],
  removeDomain: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 204, 204],
  listGallery: open,
  listNamesakes: open,
  createApiKey: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 201],
  listApiKeys: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 200, 200],
  deleteApiKey: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 204, 204],
  getTierLimits: [401, 401, 404, 404, 404, 403, 401, 404, 200, 200, 200, 200],
  listTiers: open,
  createArtifact: [401, 401, 403, 403, 403, 403, 401, 201, 201, 201, 201, 201],
  // Each item has a status of its own.
  createArtifacts: [401, 401, 200, 200, 200, 200, 401, 200, 200, 200, 200, 200],
  getArtifact: [401, 401, 200, 200, 200, 200, 401, 200, 200, 200, 200, 200],
  // This process serves requests alone: no leaf gets its place.
  getReceipt: [401, 401, 404, 404, 404, 404, 401, 404, 404, 404, 404, 404],
  setContentVisibility: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 200, 200],
  listOwnArtifacts: [401, 401, 200, 200, 200, 200, 401, 200, 200, 200, 200, 200],
  listArtifacts: [401, 401, 403, 403, 403, 403, 401, 200, 200, 200, 200, 200],
  createManifest: [401, 401, 403, 403, 403, 403, 401, 201, 201, 201, 201, 201],
  createSignedCopy: [401, 401, 403, 403, 403, 403, 401, 201, 201, 201, 201, 201],
  // The Artifact's own side has nothing to contest, and API keys act for an organization.
  createClaim: [401, 401, 201, 201, 201, 403, 401, 403, 403, 403, 403, 403],
  listArtifactClaims: open,
  getClaimEvidence: toNone(404),
  listOwnClaims: [401, 401, 200, 200, 200, 403, 401, 200, 200, 200, 403, 200],
  answerClaim: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 200],
  withdrawClaim: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 403],
  concedeClaim: [401, 401, 403, 403, 403, 403, 401, 403, 403, 403, 403, 409],
  addOperatorNote: [401, 401, 401, 401, 401, 401, 200, 401, 401, 401, 401, 401],
  getPublicArtifact: open,
  getPublicReceipt: toNone(404),
  getLastAnchor: toNone(404),
  getCertificate: open,
  getPublicMark: toNone(403),
  listMarkPreferences: toNone(403),
  listPublicArtifacts: toNone(403),
  listFingerprints: open,
  findByBinding: open,
  findByLargeBinding: open,
  lookUpFingerprints: open,
  findLookalikes: open,
  findByContent: open,
  getManifest: open,
  getAlgorithms: open,
  getCapabilities: open,
  getServiceStatus: open,
  getWellKnown: open,
  getContract: open,
  getDownloads: toNone(404),
  getRegistryIdentity: open,
  getSignerRoots: open,
  getTimestampRoots: open,
  getDocumentRoots: open,
  getDidDocument: open,
  putUserTier: [401, 401, 401, 401, 401, 401, 200, 401, 401, 401, 401, 401],
  getHealth: open,
  getReadiness: open,
  getWriteReadiness: open,
  getMetrics: open,
  getOpenApi: open,
};

let tenants: Tenants;
let snapshots: StateSnapshots;
beforeAll(async () => {
  tenants = await startTenants();
  snapshots = await openStateSnapshots(tenants.service.databaseUrl, tenants.service.dataDir);
});
afterAll(() => snapshots.close());

/** What an actor must not learn from any response. Email addresses are shown to their owners only. */
function hiddenFrom(actor: Actor, id: OperationId): string[] {
  const { people, tokens } = tenants;
  const { owner, admin, member, markMember } = people;
  const emails = Object.entries({ owner, admin, member, markMember })
    .filter(([role]) => role !== (actor === 'key' ? 'owner' : actor))
    .map(([, { email }]) => email);
  const credentials = Object.values(tokens).filter((token) => token !== undefined);
  const hidden = [...emails, ...credentials];
  if (actor === 'owner' || actor === 'key') return hidden;
  if (id !== 'listOrganizationEvents') hidden.push(secrets.keyName);
  if (actor === 'admin' || actor === 'member' || actor === 'markMember') return hidden;
  return [...hidden, ...Object.values(secrets), owner.id, admin.id, member.id, markMember.id];
}

async function expectSafeResponse(id: OperationId, actor: Actor, values: Values, statuses: Statuses): Promise<number> {
  const before = await snapshots.take();
  const { status, text } = await send(tenants.service, id, values, tenants.tokens[actor]);
  expect(statuses, `${id} as ${actor}`).toContain(status);
  const mayKnow = (id === 'putUserTier' && actor === 'operator') || id === 'previewInvitation';
  const leaked = hiddenFrom(actor, id).filter((value) => text.includes(value));
  if (!mayKnow) expect([actor, leaked]).toEqual([actor, []]);
  if (status >= 400) expect([actor, await snapshots.take()]).toEqual([actor, before]);
  return status;
}

describe("an organization's private resources", () => {
  it('are the subject of a line for every documented operation', async () => {
    const documented = (await readDocument(tenants.service.url)).map(({ operationId }) => operationId);
    expect(Object.keys(table).sort()).toEqual(documented.sort());
  });

  it.each(Object.entries(table) as [OperationId, Statuses][])('%s', async (id, statuses) => {
    let values = { ...tenants.values, ...(await renewed[id]?.(tenants)) };
    for (const [column, actor] of actors.entries()) {
      const expected = statuses.slice(column, column + 1);
      const status = await expectSafeResponse(id, actor, values, expected);
      if (status >= 300) continue;
      if (endsSession.includes(id)) await logInAgain(tenants, actor);
      values = { ...values, ...(await renewed[id]?.(tenants)) };
    }
  });
});

describe('an id of another organization beside one of the caller’s own', () => {
  /** Each slot is filled with the caller's own id; the others stay the ids of the other organization. */
  it.each<[OperationId, string, Statuses]>([
    ['updateOrganizationMember', 'organizationId', [403, 404]],
    ['updateOrganizationMember', 'userId', [403, 404]],
    ['removeOrganizationMember', 'organizationId', [404]],
    ['removeOrganizationMember', 'userId', [403, 404]],
    ['withdrawOrganizationInvitation', 'organizationId', [404]],
    ['withdrawMarkInvitation', 'markId', [404]],
    ['transferOrganization', 'organizationId', [403, 404]],
    ['transferOrganization', 'userId', [403, 404]],
    ['putMarkAdmin', 'markId', [403, 404]],
    ['putMarkAdmin', 'userId', [403]],
    ['removeMarkMember', 'markId', [404]],
    ['removeMarkMember', 'userId', [403]],
    ['deleteApiKey', 'organizationId', [404]],
    ['deleteApiKey', 'keyId', [403]],
    ['createArtifact', 'markId', [409]],
    ['createManifest', 'markId', [409]],
  ])('gives no access: %s with its own %s', async (id, own, statuses) => {
    const values = { ...tenants.values, [own]: tenants.rivalValues[own] };
    for (const actor of ['rival', 'rivalKey'] as const) await expectSafeResponse(id, actor, values, statuses);
  });

  it('gives no access: a batch into its Mark', async () => {
    const artifacts = [{ markId: tenants.values['markId'], fingerprint: newFingerprint(), filename: 'a.txt' }];
    const sendAs = async (actor: Actor) => {
      const { text } = await send(tenants.service, 'createArtifacts', { artifacts }, tenants.tokens[actor]);
      return /"results":\[\{"status":(\d+)/.exec(text)?.[1];
    };
    const before = await snapshots.take();
    for (const actor of ['stranger', 'rival', 'rivalMember', 'rivalKey'] as const) {
      expect([actor, await sendAs(actor), await snapshots.take()]).toEqual([actor, '403', before]);
    }
    expect(await sendAs('markMember')).toBe('201');
  });

  it('gives no access: a list that continues after an Artifact of another Mark', async () => {
    const values = { ...tenants.values, markId: tenants.rivalValues['markId'], cursor: tenants.values['manifestId'] };
    for (const id of ['listArtifacts', 'listPublicArtifacts', 'listOwnArtifacts'] as const) {
      await expectSafeResponse(id, 'rival', values, [400]);
    }
  });
});
