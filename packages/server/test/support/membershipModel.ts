// A model of memberships, made of the responses to requests alone: accepted, left, removed. Requests of one batch
// ran concurrently, so their order is unknown: where it matters, the database decides.

import { query } from '../../../../test/support/postgres.js';

/** What a response tells about the membership of a user in an organization or a Mark. */
export interface Change {
  readonly kind: 'gained' | 'lost' | 'maybeLost';
  /** The organization or the Mark. */
  readonly target: string;
  readonly user: string;
}

export interface Snapshot {
  /** `target user`, as the database has them. */
  readonly memberships: ReadonlySet<string>;
  readonly owners: ReadonlyMap<string, string>;
  readonly admins: ReadonlyMap<string, string>;
  readonly frozen: ReadonlySet<string>;
}

const membershipOf = (target: string, user: string) => `${target} ${user}`;

export type MembershipModel = ReturnType<typeof createMembershipModel>;

export function createMembershipModel() {
  let members: ReadonlySet<string> = new Set();

  /** Undefined: it depends on the order of concurrent requests. */
  function expectedAfter(key: string, kinds: ReadonlySet<Change['kind']>): boolean | undefined {
    if (kinds.has('gained')) return kinds.size === 1 ? true : undefined;
    if (!members.has(key) || kinds.has('lost')) return false;
    return kinds.has('maybeLost') ? undefined : true;
  }

  return {
    isMember: (target: string, user: string) => members.has(membershipOf(target, user)),

    /** Applies the changes of a batch; returns the memberships on which model and database disagree. */
    apply(changes: readonly Change[], { memberships, frozen, owners }: Snapshot): string[] {
      const kindsByKey = new Map<string, Set<Change['kind']>>();
      for (const key of [...members, ...memberships]) kindsByKey.set(key, new Set());
      for (const { kind, target, user } of changes) {
        const key = membershipOf(target, user);
        kindsByKey.set(key, (kindsByKey.get(key) ?? new Set()).add(kind));
      }
      const wrong = [...kindsByKey].filter(([key, kinds]) => {
        const [target = '', user] = key.split(' ');
        const isFrozenOut = frozen.has(target) && owners.get(target) !== user;
        const expected = isFrozenOut ? false : expectedAfter(key, kinds);
        return expected !== undefined && expected !== memberships.has(key);
      });
      members = memberships;
      return wrong.map(([key, kinds]) => `${key}: ${[...kinds].join(', ')}`);
    },
  };
}

/** Of these organizations and Marks. */
export async function readSnapshot(databaseUrl: string, targets: readonly string[]): Promise<Snapshot> {
  const rows = await query<{ what: string; target: string; user: string }>(
    databaseUrl,
    `select 'member' as what, organization_id as target, user_id as user from organization_members
       where organization_id = any($1::uuid[])
     union all select 'member', mark_id, user_id from mark_members where mark_id = any($1::uuid[])
     union all select 'owner', id, owner_id from organizations where id = any($1::uuid[])
     union all select 'frozen', id, owner_id from organizations where id = any($1::uuid[]) and status = 'frozen'
     union all select 'admin', id, admin_id from marks where id = any($1::uuid[])`,
    [targets],
  );
  const of = (wanted: string) => rows.filter(({ what }) => what === wanted);
  return {
    memberships: new Set(of('member').map(({ target, user }) => membershipOf(target, user))),
    owners: new Map(of('owner').map(({ target, user }) => [target, user])),
    admins: new Map(of('admin').map(({ target, user }) => [target, user])),
    frozen: new Set(of('frozen').map(({ target }) => target)),
  };
}
