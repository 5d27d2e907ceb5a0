// The tables as the queries see them; the migrations are where they are made.

import type { Tier } from '@provenance-registry/core';
import type { Generated } from 'kysely';

export interface Tables {
  users: {
    id: string;
    email: string | null;
    name: string;
    password_hash: string | null;
    issuer: string | null;
    subject: string | null;
    tier: Generated<Tier>;
    created_at: Generated<Date>;
  };
  organizations: {
    id: string;
    name: string;
    owner_id: string;
    status: Generated<'active' | 'frozen'>;
    purchased_units: Generated<number>;
    member_count: Generated<number>;
    created_at: Generated<Date>;
  };
  organization_members: {
    organization_id: string;
    user_id: string;
    role: 'owner' | 'member';
    is_admin: Generated<boolean>;
    joined_at: Generated<Date>;
  };
  counters: {
    owner_id: string;
  };
}
