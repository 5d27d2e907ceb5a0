// Marks: authorship identities, and who may write under them.

import { randomUUID } from 'node:crypto';
import {
  type GalleryMark,
  type Mark,
  normalizeEmail,
  type Person,
  RegistryError,
  type Tier,
} from '@provenance-registry/core';
import { type Caller, confine, type Reader } from './caller.js';
import type { MarkChanges, Ports, Store } from './ports/index.js';
import { type LimitedOwner, lockOrganizationTier, requireFeature, takePlace } from './tiers.js';

const GALLERY_PAGE = 50;

export async function createMark(
  ports: Ports,
  caller: Caller,
  request: MarkChanges & { name: string; organizationId?: string },
): Promise<Mark> {
  if (request.organizationId !== undefined) confine(caller, request.organizationId);
  const organizationId = request.organizationId ?? caller.keyOrganizationId;
  const visibility = request.visibility ?? 'public';
  const id = randomUUID();
  return ports.store.transaction(async (store) => {
    const owner = await lockOwner(store, caller, organizationId);
    if (visibility === 'private') requireFeature(ports, owner.tier, 'privateMarks');
    await takePlace(ports, store, owner, 'marks');
    await store.marks.insert({
      id,
      name: request.name,
      visibility,
      license: request.license ?? 'NONE_SPECIFIED',
      allowAiTraining: request.allowAiTraining === undefined ? true : request.allowAiTraining,
      adminId: caller.user.id,
      owner: organizationId === undefined ? { userId: caller.user.id } : { organizationId },
    });
    return findMark(store, id);
  });
}

/** Those that the caller may write under; remembered for a while. */
export async function listMarks(ports: Ports, caller: Caller): Promise<Mark[]> {
  const { user, keyOrganizationId } = caller;
  // A key sees less than its owner, so it has no place in the owner's memory.
  if (keyOrganizationId !== undefined) return ports.store.marks.listOfOrganization(keyOrganizationId);
  return ports.markListCache.get(user.id, () => ports.store.marks.listWritableBy(user.id));
}

export async function readMark(ports: Ports, reader: Reader, id: string): Promise<Mark> {
  const mark = await findMark(ports.store, id);
  if (mark.visibility === 'private' && !(await mayWrite(ports.store, reader, mark))) {
    throw new RegistryError('FORBIDDEN', 'This Mark is private.');
  }
  return mark;
}

/** As the gallery shows it. */
export async function readPublicMark(ports: Ports, id: string): Promise<GalleryMark> {
  return withoutMembers(await readMark(ports, undefined, id));
}

export function withoutMembers({ members: _members, ...mark }: Mark): GalleryMark {
  return mark;
}

export async function updateMark(ports: Ports, caller: Caller, id: string, changes: MarkChanges): Promise<Mark> {
  return ports.store.transaction(async (store) => {
    const mark = await requireAdmin(store, caller, id);
    const tier = await lockTierOf(store, mark);
    requireFeature(ports, tier, 'markEditing');
    if (changes.visibility === 'private') requireFeature(ports, tier, 'privateMarks');
    await store.marks.update(id, changes);
    return findMark(store, id);
  });
}

export async function addMarkMember(ports: Ports, caller: Caller, id: string, email: string): Promise<Person> {
  const mark = await requireAdmin(ports.store, caller, id);
  const person = await ports.store.users.findByEmail(normalizeEmail(email));
  if (!person) throw new RegistryError('NOT_FOUND', 'Nobody has that email address.');
  const there = person.id === mark.admin.id || person.id === mark.owner?.id;
  if (there || !(await ports.store.marks.insertMember(id, person.id))) {
    throw new RegistryError('CONFLICT', 'That person may write under this Mark already.');
  }
  return { id: person.id, name: person.name };
}

export async function removeMarkMember(ports: Ports, caller: Caller, id: string, userId: string): Promise<void> {
  await requireAdmin(ports.store, caller, id);
  if (!(await ports.store.marks.deleteMember(id, userId))) {
    throw new RegistryError('NOT_FOUND', 'The Mark has no such member.');
  }
}

export async function showGallery(
  ports: Ports,
  { query = '', limit = GALLERY_PAGE, cursor }: { query?: string; limit?: number; cursor?: string },
): Promise<{ marks: GalleryMark[]; nextCursor: string | null }> {
  // One more than asked for tells whether there is another page.
  const marks = await ports.store.marks.gallery({ query, limit: limit + 1, after: cursor });
  const shown = marks.slice(0, limit);
  return { marks: shown, nextCursor: marks.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

/** Its admin, its owner, its members, and everybody in the organization that owns it. */
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

async function requireAdmin(store: Store, caller: Caller, id: string): Promise<Mark> {
  const mark = await findMark(store, id);
  confine(caller, mark.organization?.id);
  if (mark.admin.id !== caller.user.id)
    throw new RegistryError('FORBIDDEN', 'Only the admin of this Mark may do this.');
  return mark;
}

/** Whose limits a new Mark counts against; in an organization, only its owner and admin members may make one. */
async function lockOwner(store: Store, caller: Caller, organizationId: string | undefined): Promise<LimitedOwner> {
  if (organizationId === undefined) return lockUser(store, caller.user.id);
  const membership = await store.organizations.findMember(organizationId, caller.user.id);
  const owner = membership?.isAdmin ? await lockOrganizationTier(store, organizationId) : undefined;
  // The same for an organization that does not exist: who is not in it cannot tell.
  if (!owner) throw new RegistryError('FORBIDDEN', 'Only the owner and admin members of the organization may do this.');
  return owner;
}

async function lockUser(store: Store, id: string): Promise<LimitedOwner> {
  const user = await store.users.lock(id, 'tier');
  if (!user) throw new RegistryError('UNAUTHORIZED', 'The token speaks for nobody.');
  return user;
}

async function lockTierOf(store: Store, mark: Mark): Promise<Tier> {
  return (await lockMarkOwner(store, mark)).tier;
}

/** Whose limits count for what is under the Mark, held still until the transaction ends. */
async function lockMarkOwner(store: Store, mark: Mark): Promise<LimitedOwner> {
  if (!mark.organization) return lockUser(store, mark.owner?.id ?? mark.admin.id);
  const owner = await lockOrganizationTier(store, mark.organization.id);
  if (!owner) throw new RegistryError('NOT_FOUND', 'There is no such Mark.');
  return owner;
}
