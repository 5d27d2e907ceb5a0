// Marks: authorship identities, and who may write under them.

import { randomUUID } from 'node:crypto';
import { type GalleryMark, type Mark, normalizeEmail, type Person, RegistryError } from '@provenance-registry/core';
import { type Caller, type Reader, requireOwnOrganization } from './caller.js';
import type { MarkChanges, Ports, Store } from './ports/index.js';
import { type LimitedOwner, lockOrganizationTier, requireFeature, takeQuota } from './tiers.js';

const DEFAULT_PAGE_SIZE = 50;

export async function createMark(
  ports: Ports,
  caller: Caller,
  request: MarkChanges & { name: string; organizationId?: string },
): Promise<Mark> {
  if (request.organizationId !== undefined) requireOwnOrganization(caller, request.organizationId);
  const organizationId = request.organizationId ?? caller.keyOrganizationId;
  const { name, visibility = 'public', license = 'NONE_SPECIFIED', allowAiTraining = true } = request;
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
      adminId: caller.user.id,
      owner: organizationId === undefined ? { userId: caller.user.id } : { organizationId },
    });
    return findMark(store, id);
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

export async function updateMark(ports: Ports, caller: Caller, id: string, changes: MarkChanges): Promise<Mark> {
  return ports.store.transaction(async (store) => {
    const mark = await requireMarkAdmin(store, caller, id);
    const { tier } = await lockMarkOwner(store, mark);
    requireFeature(ports, tier, 'markEditing');
    if (changes.visibility === 'private') requireFeature(ports, tier, 'privateMarks');
    await store.marks.update(id, changes);
    return findMark(store, id);
  });
}

export async function addMarkMember(ports: Ports, caller: Caller, id: string, email: string): Promise<Person> {
  const mark = await requireMarkAdmin(ports.store, caller, id);
  const person = await ports.store.users.findByEmail(normalizeEmail(email));
  if (!person) throw new RegistryError('NOT_FOUND', 'No user has that email address.');
  const mayWriteAlready = person.id === mark.admin.id || person.id === mark.owner?.id;
  if (mayWriteAlready || !(await ports.store.marks.insertMember(id, person.id))) {
    throw new RegistryError('CONFLICT', 'That user can write under this Mark already.');
  }
  return { id: person.id, name: person.name };
}

export async function removeMarkMember(ports: Ports, caller: Caller, id: string, userId: string): Promise<void> {
  await requireMarkAdmin(ports.store, caller, id);
  if (!(await ports.store.marks.deleteMember(id, userId))) {
    throw new RegistryError('NOT_FOUND', 'The Mark has no such member.');
  }
}

export async function listGallery(
  ports: Ports,
  { query = '', limit = DEFAULT_PAGE_SIZE, cursor }: { query?: string; limit?: number; cursor?: string },
): Promise<{ marks: GalleryMark[]; nextCursor: string | null }> {
  // One more than the page holds tells whether there is a next page.
  const marks = await ports.store.marks.listGallery({ query, limit: limit + 1, after: cursor });
  if (!marks) throw cursorError();
  const page = marks.slice(0, limit);
  return { marks: page, nextCursor: marks.length > limit ? (page.at(-1)?.id ?? null) : null };
}

export function cursorError(): RegistryError {
  const expected = 'nextCursor of another page of this list';
  return new RegistryError('BAD_REQUEST', `"cursor" must be ${expected}.`, {
    problems: [{ pointer: '/cursor', expected }],
  });
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
  if (!mark) throw new RegistryError('NOT_FOUND', 'There is no such Mark.');
  return mark;
}

/** The Mark, if the caller may register files under it. */
export async function requireWriteAccess(store: Store, caller: Caller, id: string): Promise<Mark> {
  const mark = await findMark(store, id);
  requireOwnOrganization(caller, mark.organization?.id);
  if (!(await mayWrite(store, caller, mark))) {
    throw new RegistryError('FORBIDDEN', 'You may not write under this Mark.');
  }
  return mark;
}

export async function requireMarkAdmin(store: Store, caller: Caller, id: string): Promise<Mark> {
  const mark = await findMark(store, id);
  requireOwnOrganization(caller, mark.organization?.id);
  if (mark.admin.id !== caller.user.id)
    throw new RegistryError('FORBIDDEN', 'Only the admin of this Mark may do this.');
  return mark;
}

/** The owner that a new Mark counts for; in an organization, only its owner and admin members may create one. */
async function lockNewMarkOwner(store: Store, caller: Caller, organizationId?: string): Promise<LimitedOwner> {
  if (organizationId === undefined) return lockUser(store, caller.user.id);
  const membership = await store.organizations.findMember(organizationId, caller.user.id);
  const owner = membership?.isAdmin ? await lockOrganizationTier(store, organizationId) : undefined;
  // The same error for an organization that does not exist, so that non-members cannot tell.
  if (!owner) throw new RegistryError('FORBIDDEN', 'Only the owner and admin members of the organization may do this.');
  return owner;
}

async function lockUser(store: Store, id: string): Promise<LimitedOwner> {
  const user = await store.users.lock(id, 'tier');
  if (!user) throw new RegistryError('UNAUTHORIZED', 'The token belongs to no user.');
  return user;
}

/** The owner whose tier applies to the Mark; the tier cannot change until the transaction ends. */
async function lockMarkOwner(store: Store, mark: Mark): Promise<LimitedOwner> {
  if (!mark.organization) return lockUser(store, mark.owner?.id ?? mark.admin.id);
  const owner = await lockOrganizationTier(store, mark.organization.id);
  if (!owner) throw new RegistryError('NOT_FOUND', 'There is no such Mark.');
  return owner;
}
