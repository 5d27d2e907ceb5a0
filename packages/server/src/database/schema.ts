// The types of the tables that the migrations create.

import type {
  AiPreferences,
  ApiKeyScope,
  ArtifactMetadata,
  EventData,
  EventType,
  LicenseKey,
  Tier,
} from '@provenance-registry/core';
import type { ColumnType, Generated } from 'kysely';
import type { ClaimEvidenceFacts } from '../domain/ports/index.js';

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
    email_verified: Generated<boolean>;
    has_totp: Generated<boolean>;
    tokens_not_before: Generated<Date | null>;
    closed_at: Generated<Date | null>;
  };
  sessions: {
    id: string;
    user_id: string;
    created_at: Date;
    expires_at: Date;
    last_used_at: Date;
    user_agent: string | null;
    ended_at: Generated<Date | null>;
  };
  second_factors: {
    user_id: string;
    secret: Uint8Array;
    confirmed_at: Generated<Date | null>;
    /** A bigint, which the driver returns as text. */
    last_step: ColumnType<string, number | undefined, number>;
    failures: Generated<number>;
    blocked_until: Generated<Date | null>;
    recovery_code_hashes: Generated<Uint8Array[]>;
  };
  one_time_tokens: {
    id: string;
    token_hash: Uint8Array;
    user_id: string;
    purpose: 'verify-email' | 'reset-password';
    email: string | null;
    created_at: Generated<Date>;
    expires_at: Date;
  };
  mails: {
    id: string;
    recipient: string;
    template: string;
    data: unknown;
    created_at: Generated<Date>;
    expires_at: Date;
    attempts: Generated<number>;
    run_at: Generated<Date>;
    sent_at: Generated<Date | null>;
    last_error: Generated<string | null>;
  };
  invitations: {
    id: string;
    organization_id: string | null;
    mark_id: string | null;
    token_hash: Uint8Array;
    email: string | null;
    requires_email: boolean;
    is_admin: Generated<boolean>;
    invited_by: string;
    created_at: Generated<Date>;
    expires_at: Date;
  };
  events: {
    id: Generated<string>;
    at: Generated<Date>;
    type: EventType;
    actor_id: string | null;
    organization_id: string | null;
    mark_id: string | null;
    user_id: string | null;
    key_id: string | null;
    data: EventData | null;
    position: string | null;
    is_listed: Generated<boolean>;
  };
  event_feed: {
    last_position: string;
  };
  webhooks: {
    id: string;
    user_id: string | null;
    organization_id: string | null;
    created_by: string;
    url: string;
    types: readonly EventType[] | null;
    created_at: Date;
    created_event_id: string;
    secret_version: Generated<number>;
    secret_rotated_at: Date | null;
    position: string;
    pending_position: Generated<string>;
    attempts: Generated<number>;
    failing_since: Date | null;
    run_at: Date;
    revision: Generated<number>;
    lease_id: string | null;
    leased_until: Date | null;
    is_slow: Generated<boolean>;
    paused_at: Date | null;
    pause_reason: 'requested' | 'failing' | 'gone' | null;
  };
  webhook_deliveries: {
    id: Generated<string>;
    webhook_id: string;
    position: string;
    attempt: number;
    at: Date;
    duration_ms: number;
    status: number | null;
    error: string | null;
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
    organizations: Generated<number>;
    marks: Generated<number>;
    api_keys: Generated<number>;
    /** A bigint, which the driver returns as text. */
    lifetime_artifacts: ColumnType<string, never, never>;
    daily_artifacts: Generated<number>;
    day: Generated<Date>;
  };
  marks: {
    id: string;
    name: string;
    search_name: string;
    visibility: 'public' | 'private';
    license: LicenseKey;
    allow_ai_training: boolean | null;
    ai_preferences: Generated<AiPreferences | null>;
    admin_id: string;
    owner_id: string | null;
    organization_id: string | null;
    created_at: Generated<Date>;
    access_version: Generated<number>;
    name_skeleton: Generated<string | null>;
    represented_by: Generated<string | null>;
  };
  /** A bigint, which the driver returns as text. */
  mark_counters: { mark_id: string; artifacts: ColumnType<string, number | undefined, never> };
  mark_domains: {
    id: string;
    mark_id: string;
    domain: string;
    claimed_by: string;
    claimed_at: Generated<Date>;
    method: Generated<'dns' | 'file' | null>;
    verified_at: Generated<Date | null>;
    last_success_at: Generated<Date | null>;
    failing_since: Generated<Date | null>;
    last_checked_at: Generated<Date | null>;
    last_error: Generated<string | null>;
    next_check_at: Generated<Date>;
    warned_at: Generated<Date | null>;
    ended_at: Generated<Date | null>;
    end_reason: Generated<'removed' | 'lapsed' | 'expired' | null>;
    ended_by: Generated<string | null>;
  };
  claims: {
    id: string;
    artifact_id: string;
    contested_mark_id: string;
    claimant_id: string;
    mark_id: string | null;
    kind: 'statement' | 'timestamp' | 'manifest' | 'chain-entry';
    statement: string;
    evidence: Uint8Array | null;
    created_at: Generated<Date>;
    evidence_state: 'none' | 'unchecked' | 'checked';
    evidence_time: Date | null;
    evidence_details: ColumnType<ClaimEvidenceFacts, string, string>;
    ended_as: Generated<'withdrawn' | 'superseded' | null>;
  };
  claim_entries: {
    id: Generated<string>;
    claim_id: string;
    type: 'answer' | 'withdrawal' | 'superseded' | 'operator-note';
    author_id: string | null;
    text: string | null;
    mark_id: string | null;
    at: Generated<Date>;
  };
  mark_members: { mark_id: string; user_id: string; added_at: Generated<Date> };
  api_keys: {
    id: string;
    organization_id: string;
    name: string;
    token_hash: Uint8Array;
    prefix: string;
    last4: string;
    created_at: Generated<Date>;
    last_used_at: Generated<Date | null>;
    revoked_at: Generated<Date | null>;
    scope: Generated<ApiKeyScope | null>;
    expires_at: Generated<Date | null>;
    last_used_address: Generated<string | null>;
    last_used_agent: Generated<string | null>;
    expiry_announced_at: Generated<Date | null>;
    new_address_at: Generated<Date | null>;
  };
  api_key_networks: {
    key_id: string;
    network: string;
  };
  /** Written by triggers of `marks`. */
  mark_preferences: {
    id: Generated<string>;
    mark_id: string;
    since: Date;
    allow_ai_training: boolean | null;
    ai_preferences: AiPreferences | null;
  };
  artifacts: {
    id: string;
    mark_id: string;
    created_by: string;
    created_at: Generated<Date>;
    status: Generated<number>;
    content_private: Generated<boolean>;
    fingerprint: Uint8Array;
    manifest_hash: Uint8Array;
    transaction_hash: Generated<Uint8Array | null>;
    error_reason: Generated<string | null>;
    metadata: ArtifactMetadata;
    /** The Artifact that this row is a rendition of; null for an Artifact. */
    rendition_of: Generated<string | null>;
    authorship_stated: Generated<boolean>;
    ai_preferences: Generated<AiPreferences | null>;
  };
  signing_certificates: { sha256: Uint8Array; first_used_at: Generated<Date> };
  drafts: { artifact_id: string; created_at: Generated<Date> };
  idempotency_keys: {
    caller_id: string;
    key: string;
    request_hash: Uint8Array;
    response: unknown;
    created_at: Generated<Date>;
  };
  outbox: {
    id: Generated<string>;
    artifact_id: string;
    attempts: Generated<number>;
    run_at: Generated<Date>;
    last_error: Generated<string | null>;
    created_at: Generated<Date>;
    transaction_id: Generated<string | null>;
    trace_context: Generated<string | null>;
  };
  leases: { name: string; holder: string; expires_at: Date };
  registries: {
    /** Bigints are read as text, here and below. */
    chain_id: ColumnType<string, number, never>;
    address: Uint8Array;
    first_used_at: Generated<Date>;
  };
  chain_transactions: {
    id: Generated<string>;
    chain_id: ColumnType<string, number, never>;
    sender: Uint8Array;
    nonce: ColumnType<string, number, never>;
    recipient: Uint8Array;
    gas: string;
    block_number: Generated<string | null>;
    block_hash: Generated<Uint8Array | null>;
    created_at: Generated<Date>;
  };
  chain_attempts: {
    hash: Uint8Array;
    transaction_id: string;
    raw: Uint8Array;
    max_fee_per_gas: string;
    max_priority_fee_per_gas: string;
    created_at: Generated<Date>;
  };
  chain_entries: {
    fingerprint: Uint8Array;
    source: number;
    manifest_id: string | null;
    manifest_hash: Uint8Array;
    registered_by: Uint8Array;
    endpoints: string[] | null;
    block_number: string;
    log_index: number;
    registered_at: Date;
    is_own: Generated<boolean>;
  };
  chain_endpoints: { block_number: string; log_index: number; endpoints: string[] };
  chain_registrars: { block_number: string; log_index: number; account: Uint8Array };
  chain_blocks: { number: ColumnType<string, bigint, never>; hash: Uint8Array };
  chain_mirror: {
    only_row: Generated<boolean>;
    chain_id: ColumnType<string, number, never>;
    registry: Uint8Array;
    first_block: ColumnType<string, bigint, never>;
    mirrored_block: ColumnType<string, bigint, bigint>;
    head_block: ColumnType<string, bigint, bigint>;
    checked_at: Date | null;
    curated_count: ColumnType<string, never, never>;
    counted_block: ColumnType<string, bigint, bigint>;
  };
  downloads: {
    jws: Generated<string | null>;
    last_attempt_at: Generated<Date>;
    holder: Generated<string | null>;
    held_until: Generated<Date | null>;
  };
  download_files: { name: string; is_published: Generated<boolean>; unused_since: Generated<Date | null> };
}
