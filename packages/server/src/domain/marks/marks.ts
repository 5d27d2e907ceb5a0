// Marks: authorship identities, and who may write under them.

import { randomUUID } from 'node:crypto';
import {
  aiPreferencesOf,
  DEFAULT_ALLOW_AI_TRAINING,
  type EventType,
  fillAiPreferences,
  type GalleryMark,
  isSameAiPreferences,
  type Mark,
  type PreferencePeriod,
  RegistryError,
} from '@provenance-registry/core';
import { type Caller, lockCaller, lockCallingKey, type Reader, requireOwnOrganization } from '../caller.js';
import { notAdminError } from '../errors.js';
import { markEntry } from '../log/leaves.js';
import { type PageRequest, readPage } from '../pages.js';
import type { MarkChanges, NewEvent, Ports, Store, WritableMark } from '../ports/index.js';
import { type LimitedOwner, lockOrganizationTier, requireFeature, takeQuota } from '../tiers.js';
import { type PreferenceRequest, resolvePreferences } from './aiPreferences.js';

type MarkRequest = Omit<MarkChanges, 'aiPreferences'> & PreferenceRequest;

export async function createMark(
  ports: Ports,
  caller: Caller,
  request: MarkRequest & { name: string; organizationId?: string },
): Promise<Mark> {
  if (request.organizationId !== undefined) requireOwnOrganization(caller, request.organizationId);
  const organizationId = request.organizationId ?? caller.keyOrganizationId;
  const { name, visibility = 'public', license = 'NONE_SPECIFIED' } = request;
  const { allowAiTraining = DEFAULT_ALLOW_AI_TRAINING, aiPreferences = null } = resolvePreferences(
    request,
    fillAiPreferences(() => null),
  );
  const id = randomUUID();
  return ports.store.transaction(async (store) => {
    const owner = await lockNewMarkOwner(store, caller, organizationId);
    if (visibility === 'private') requireFeature(ports, owner.tier, 'privateMarks');
    await takeQuota(ports, store, owner, 'marks');
    await store.marks.insert({
      id,
      name,
      visibility,
      license,
      allowAiTraining,
      aiPreferences,
      adminId: caller.user.id,
      owner: organizationId === undefined ? { userId: caller.user.id } : { organizationId },
    });
    await store.events.append({ type: 'mark.created', actorId: caller.user.id, organizationId, markId: id });
    const mark = await findMark(store, id);
    if (visibility === 'public') await store.log.append(markEntry(mark, visibility, { time: ports.clock() }));
    return mark;
  });
}

/** The Marks that the caller may write under. Lists of users are cached. */
export async function listMarks(ports: Ports, caller: Caller): Promise<Mark[]> {
  const { user, keyOrganizationId } = caller;
  // Not cached: a key sees fewer Marks than its owner, whose id it has.
  if (keyOrganizationId !== undefined) return ports.store.marks.listOfOrganization(keyOrganizationId);
  return ports.markListCache.list(user.id);
}

export async function readMark(ports: Ports, reader: Reader, id: string): Promise<Mark> {
  const mark = await findMark(ports.store, id);
  if (mark.visibility === 'private' && !(await mayWrite(ports.store, reader, mark))) {
    throw new RegistryError('FORBIDDEN', 'This Mark is private.');
  }
  return mark;
}

export async function readPublicMark(ports: Ports, id: string): Promise<GalleryMark> {
  return withoutMembers(await readMark(ports, undefined, id));
}

export function withoutMembers({ members: _members, ...mark }: Mark): GalleryMark {
  return mark;
}

export async function updateMark(ports: Ports, caller: Caller, id: string, request: MarkRequest): Promise<Mark> {
  return ports.store.transaction(async (store) => {
    const { tier } = await lockMarkOwner(store, await requireMarkAdmin(store, caller, id));
    const mark = await lockMarkAsAdmin(store, caller, id);
    requireFeature(ports, tier, 'markEditing');
    if (request.visibility === 'private') requireFeature(ports, tier, 'privateMarks');
    const { name, visibility, license } = request;
    const preferences = resolvePreferences(request, mark.aiPreferences);
    const fields = changedFields(mark, request, preferences);
    if (fields.length === 0) return mark;
    await store.marks.update(id, {
      ...(name !== undefined && { name }),
      ...(visibility !== undefined && { visibility }),
      ...(license !== undefined && { license }),
      ...preferences,
    });
    await appendMarkEvent(store, 'mark.updated', mark, caller.user.id, { data: { fields } });
    const changed = await findMark(store, id);
    if (fields.some((field) => field !== 'name')) await logMark(ports, store, mark, changed);
    return changed;
  });
}

/** A Mark that becomes private is logged with what was public until then. */
async function logMark({ clock }: Ports, store: Store, before: Mark, after: Mark): Promise<void> {
  const shown = [after, before].find(({ visibility }) => visibility === 'public');
  if (shown) await store.log.append(markEntry(shown, after.visibility, { time: clock() }));
}

/** States that another public Mark, of which the caller has write access, represents this one by now. */
export async function setRepresentative(
  ports: Ports,
  caller: Caller,
  id: string,
  representativeId: string | null,
): Promise<Mark> {
  return ports.store.transaction(async (store) => {
    const mark = await lockMarkAsAdmin(store, caller, id);
    if (representativeId === id) throw new RegistryError('BAD_REQUEST', 'A Mark cannot represent itself.');
    if (representativeId !== null) {
      const { mark: other } = await requireWriteAccess(store, caller, representativeId);
      if (other.visibility === 'private') {
        throw new RegistryError('BAD_REQUEST', 'A private Mark cannot represent another one: the statement is public.');
      }
    }
    await store.marks.setRepresentative(id, representativeId);
    await appendMarkEvent(store, 'mark.representative_changed', mark, caller.user.id, { data: { representativeId } });
    return findMark(store, id);
  });
}

/** Appends an event of the Mark, which is also one of its organization. `actorId`: undefined for the service. */
export function appendMarkEvent(
  store: Store,
  type: EventType,
  { id: markId, organization }: Pick<Mark, 'id' | 'organization'>,
  actorId: string | undefined,
  details: Pick<NewEvent, 'userId' | 'data'> = {},
): Promise<void> {
  return store.events.append({ type, actorId, organizationId: organization?.id, markId, ...details });
}

/** The fields of the request that change; `aiPreferences` also when `allowAiTraining` stays the same and resets other uses. */
function changedFields(mark: Mark, request: MarkRequest, preferences: MarkChanges): string[] {
  const { name, visibility, licenseKey: license, allowAiTraining } = mark;
  const before = { name, visibility, license, allowAiTraining };
  const fields: string[] = (['name', 'visibility', 'license', 'allowAiTraining'] as const).filter(
    (field) => request[field] !== undefined && request[field] !== before[field],
  );
  if (preferences.allowAiTraining === undefined) return fields;
  const { allowAiTraining: isAllowed, aiPreferences } = preferences;
  const after = aiPreferencesOf({ allowAiTraining: isAllowed, aiPreferences });
  const isNamed = request.aiPreferences === undefined && fields.includes('allowAiTraining');
  return isNamed || isSameAiPreferences(mark.aiPreferences, after) ? fields : [...fields, 'aiPreferences'];
}

/** Lists the preferences of a public Mark over time, newest first. */
export async function listPreferences(
  ports: Ports,
  markId: string,
  page: PageRequest,
): Promise<{ preferences: PreferencePeriod[]; nextCursor: string | null }> {
  await readMark(ports, undefined, markId);
  const { rows, nextCursor } = await readPage(page, (limit, before) =>
    ports.store.markPreferences.list({ markId, limit, before }),
  );
  const preferences = rows.map(({ since, ...stored }) => ({
    since: since.toISOString(),
    allowAiTraining: stored.allowAiTraining,
    aiPreferences: aiPreferencesOf(stored),
  }));
  return { preferences, nextCursor };
}

export async function listGallery(
  ports: Ports,
  { query = '', ...page }: PageRequest & { query?: string },
): Promise<{ marks: GalleryMark[]; nextCursor: string | null }> {
  const { rows, nextCursor } = await readPage(page, (limit, after) =>
    ports.store.marks.listGallery({ query, limit, after }),
  );
  return { marks: rows, nextCursor };
}

/** Number of namesakes that a reader can compare. */
const MAX_LISTED_NAMESAKES = 20;

export async function listNamesakes(ports: Ports, name: string): Promise<{ marks: GalleryMark[] }> {
  return { marks: await ports.store.marks.listNamesakes(name, MAX_LISTED_NAMESAKES) };
}

/** True for the Mark's admin, owner and members, and for every member of the owning organization. */
export async function mayWrite(store: Store, reader: Reader, mark: Mark): Promise<boolean> {
  if (!reader) return false;
  const { user, keyOrganizationId } = reader;
  if (keyOrganizationId !== undefined) return mark.organization?.id === keyOrganizationId;
  if ([mark.admin, mark.owner, ...mark.members].some((person) => person?.id === user.id)) return true;
  if (!mark.organization) return false;
  return (await store.organizations.findMember(mark.organization.id, user.id)) !== undefined;
}

export async function findMark(store: Store, id: string): Promise<Mark> {
  const mark = await store.marks.find(id);
  if (!mark) throw unknownMarkError();
  return mark;
}

/** The Mark, if the caller may register files under it. */
export async function requireWriteAccess(store: Store, caller: Caller, id: string): Promise<WritableMark> {
  const writable = await store.marks.findForWriting(id);
  if (!writable) throw unknownMarkError();
  const { mark } = writable;
  requireOwnOrganization(caller, mark.organization?.id);
  if (!(await mayWrite(store, caller, mark))) {
    throw new RegistryError('FORBIDDEN', 'You may not write under this Mark.');
  }
  requireNotClosed(mark);
  return writable;
}

/** As `requireWriteAccess`, after an access was lost, which may be the caller's. Throws UNAUTHORIZED for a revoked API key. */
export async function requireWriteAccessAgain(store: Store, caller: Caller, id: string): Promise<WritableMark> {
  await lockCallingKey(store, caller);
  return requireWriteAccess(store, caller, id);
}

export async function requireMarkAdmin(store: Store, caller: Caller, id: string): Promise<Mark> {
  return checkAdmin(caller, await findMark(store, id));
}

/** Locks the Mark for a change: its admin and members stay as they are until the transaction ends. */
export async function lockMarkAsAdmin(store: Store, caller: Caller, id: string): Promise<Mark> {
  const mark = await store.marks.lock(id);
  if (!mark) throw unknownMarkError();
  requireNotClosed(checkAdmin(caller, mark));
  return mark;
}

/** Locks the Mark, and before it its organization, so that owner and members of that do not change either. */
export async function lockMarkInOrganization(
  store: Store,
  id: string,
): Promise<{ mark: Mark; organizationOwnerId: string | undefined }> {
  const { organization } = await findMark(store, id);
  const locked = organization && (await store.organizations.lock(organization.id));
  const mark = await store.marks.lock(id);
  if (!mark) throw unknownMarkError();
  return { mark, organizationOwnerId: locked?.ownerId };
}

function checkAdmin(caller: Caller, mark: Mark): Mark {
  requireOwnOrganization(caller, mark.organization?.id);
  if (mark.admin.id === caller.user.id) return mark;
  throw new RegistryError('FORBIDDEN', 'Only the admin of this Mark may do this.');
}

function requireNotClosed({ isClosed }: Mark): void {
  if (isClosed) throw closedMarkError();
}

function closedMarkError(): RegistryError {
  return new RegistryError('FORBIDDEN', "This Mark is closed, as its owner's account is.");
}

function unknownMarkError(): RegistryError {
  return new RegistryError('NOT_FOUND', 'There is no such Mark.');
}

/** The owner that a new Mark counts for; in an organization, only its owner and admin members may create one. */
async function lockNewMarkOwner(store: Store, caller: Caller, organizationId?: string): Promise<LimitedOwner> {
  if (organizationId === undefined) return lockCaller(store, caller);
  const isAdmin = async () => (await store.organizations.findMember(organizationId, caller.user.id))?.isAdmin;
  const owner = (await isAdmin()) ? await lockOrganizationTier(store, organizationId) : undefined;
  // The membership is checked again under the lock: a removed member must not become the admin of a Mark.
  const isLocked = owner && (await store.organizations.lock(organizationId)) && (await isAdmin());
  // The same error for an organization that does not exist, so that non-members cannot tell.
  if (!isLocked) throw notAdminError();
  return owner;
}

/** The owner whose tier applies to the Mark; the tier cannot change until the transaction ends. */
export async function lockMarkOwner(store: Store, mark: Mark): Promise<LimitedOwner> {
  const owner = mark.organization
    ? await lockOrganizationTier(store, mark.organization.id)
    : await store.users.lock(mark.owner?.id ?? mark.admin.id, 'tier');
  if (!owner) throw closedMarkError();
  return owner;
}
