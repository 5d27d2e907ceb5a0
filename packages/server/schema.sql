-- The current schema, as all migrations together make it. Written by `npm run docs:schema`.

CREATE TABLE api_key_networks (
  key_id uuid not null,
  network inet not null,
  constraint api_key_networks_pkey PRIMARY KEY (key_id, network),
  constraint api_key_networks_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id)
);

CREATE TABLE api_keys (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  token_hash bytea not null,
  prefix text not null,
  last4 text not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  scope text,
  expires_at timestamp with time zone,
  last_used_address text,
  last_used_agent text,
  expiry_announced_at timestamp with time zone,
  new_address_at timestamp with time zone,
  created_by uuid not null,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_token_hash_key UNIQUE (token_hash),
  constraint api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint api_keys_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'register'::text, 'manage'::text]))),
  constraint api_keys_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX api_keys_active ON api_keys USING btree (organization_id) WHERE (revoked_at IS NULL);
CREATE INDEX api_keys_by_expiry ON api_keys USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (revoked_at IS NULL));
CREATE TRIGGER api_keys_have_makers BEFORE INSERT ON api_keys FOR EACH ROW WHEN ((new.created_by IS NULL)) EXECUTE FUNCTION add_key_maker();

CREATE TABLE artifacts (
  id uuid not null,
  mark_id uuid not null,
  created_by uuid not null,
  created_at timestamp with time zone not null default now(),
  status smallint not null default 0,
  content_private boolean not null default false,
  fingerprint bytea not null,
  manifest_hash bytea not null,
  transaction_hash bytea,
  error_reason text,
  metadata jsonb not null,
  rendition_of uuid,
  authorship_stated boolean not null default false,
  ai_preferences jsonb,
  recovered_at timestamp with time zone,
  constraint artifacts_pkey PRIMARY KEY (id),
  constraint artifacts_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint artifacts_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id),
  constraint artifacts_rendition_of_fkey FOREIGN KEY (rendition_of) REFERENCES artifacts(id),
  constraint artifacts_check CHECK (((status = 3) = (error_reason IS NOT NULL))),
  constraint artifacts_check1 CHECK ((rendition_of <> id)),
  constraint artifacts_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint artifacts_manifest_hash_check CHECK ((octet_length(manifest_hash) = 32)),
  constraint artifacts_status_check CHECK (((status >= 0) AND (status <= 4))),
  constraint artifacts_transaction_hash_check CHECK ((octet_length(transaction_hash) = 32))
) WITH (fillfactor=70);
CREATE INDEX artifacts_by_creator ON artifacts USING btree (created_by, created_at DESC, id DESC);
CREATE UNIQUE INDEX artifacts_by_fingerprint ON artifacts USING btree (fingerprint) INCLUDE (id, rendition_of, mark_id) WHERE (error_reason IS NULL);
CREATE INDEX artifacts_by_mark ON artifacts USING btree (mark_id, created_at DESC, id DESC) WHERE (rendition_of IS NULL);
CREATE INDEX artifacts_by_mark_and_creator ON artifacts USING btree (mark_id, created_by, created_at) WHERE ((rendition_of IS NULL) AND (error_reason IS NULL));
CREATE INDEX artifacts_by_mark_and_name ON artifacts USING btree (mark_id, "left"(lower(((metadata ->> 'filename'::text) COLLATE "C")), 100), id) WHERE (rendition_of IS NULL);
CREATE INDEX artifacts_failed_by_fingerprint ON artifacts USING btree (fingerprint) WHERE (error_reason IS NOT NULL);
CREATE INDEX artifacts_failed_by_mark ON artifacts USING btree (mark_id) WHERE ((rendition_of IS NULL) AND (error_reason IS NOT NULL));
CREATE INDEX artifacts_renditions ON artifacts USING btree (rendition_of) WHERE (rendition_of IS NOT NULL);
CREATE TRIGGER artifacts_of_older_releases AFTER INSERT ON artifacts FOR EACH ROW WHEN (((current_query() ~~ '%refuse(''abandoned'')%'::text) AND (current_query() !~~ '%mark_counters%'::text))) EXECUTE FUNCTION complete_artifact();
CREATE TRIGGER artifacts_without_log_entry AFTER INSERT ON artifacts FOR EACH ROW WHEN (((new.error_reason IS NULL) AND (current_query() !~~ '%log_entries%'::text))) EXECUTE FUNCTION add_log_entry();
CREATE TRIGGER failures_are_logged AFTER UPDATE OF error_reason ON artifacts FOR EACH ROW WHEN (((old.error_reason IS NULL) AND (new.error_reason IS NOT NULL))) EXECUTE FUNCTION add_failed_log_entry();
CREATE TRIGGER failures_of_older_releases AFTER UPDATE OF error_reason ON artifacts FOR EACH ROW WHEN (((old.error_reason IS NULL) AND (new.error_reason IS NOT NULL) AND (new.rendition_of IS NULL) AND (current_query() ~~ '%refused.reason%'::text) AND (current_query() !~~ '%mark_counters%'::text))) EXECUTE FUNCTION complete_artifact();

CREATE TABLE chain_attempts (
  hash bytea not null,
  transaction_id bigint not null,
  raw bytea not null,
  max_fee_per_gas numeric not null,
  max_priority_fee_per_gas numeric not null,
  created_at timestamp with time zone not null default now(),
  constraint chain_attempts_pkey PRIMARY KEY (hash),
  constraint chain_attempts_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES chain_transactions(id) ON DELETE CASCADE,
  constraint chain_attempts_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX chain_attempts_by_transaction ON chain_attempts USING btree (transaction_id);

CREATE TABLE chain_blocks (
  number bigint not null,
  hash bytea not null,
  constraint chain_blocks_pkey PRIMARY KEY (number),
  constraint chain_blocks_hash_check CHECK ((octet_length(hash) = 32))
);

CREATE TABLE chain_endpoints (
  block_number bigint not null,
  log_index integer not null,
  endpoints text[] not null,
  constraint chain_endpoints_pkey PRIMARY KEY (block_number, log_index)
);

CREATE TABLE chain_entries (
  fingerprint bytea not null,
  source smallint not null,
  manifest_id text,
  manifest_hash bytea not null,
  registered_by bytea not null,
  endpoints text[],
  block_number bigint not null,
  log_index integer not null,
  registered_at timestamp with time zone not null,
  is_own boolean not null default false,
  constraint chain_entries_pkey PRIMARY KEY (fingerprint, source),
  constraint chain_entries_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint chain_entries_manifest_hash_check CHECK ((octet_length(manifest_hash) = 32)),
  constraint chain_entries_registered_by_check CHECK ((octet_length(registered_by) = 20)),
  constraint chain_entries_source_check CHECK ((source = ANY (ARRAY[1, 2])))
);
CREATE INDEX chain_entries_by_block ON chain_entries USING btree (block_number);
CREATE INDEX chain_entries_of_others ON chain_entries USING btree (fingerprint, source) INCLUDE (manifest_id) WHERE (NOT is_own);
CREATE INDEX chain_entries_without_artifact ON chain_entries USING btree (manifest_id) WHERE ((source = 1) AND (NOT is_own));

CREATE TABLE chain_mirror (
  only_row boolean not null default true,
  chain_id bigint not null,
  registry bytea not null,
  first_block bigint not null,
  mirrored_block bigint not null,
  head_block bigint not null,
  checked_at timestamp with time zone,
  curated_count bigint not null default 0,
  counted_block bigint not null,
  constraint chain_mirror_pkey PRIMARY KEY (only_row),
  constraint chain_mirror_only_row_check CHECK (only_row),
  constraint chain_mirror_registry_check CHECK ((octet_length(registry) = 20))
);

CREATE TABLE chain_registrars (
  block_number bigint not null,
  log_index integer not null,
  account bytea not null,
  constraint chain_registrars_pkey PRIMARY KEY (block_number, log_index),
  constraint chain_registrars_account_check CHECK ((octet_length(account) = 20))
);

CREATE TABLE chain_transactions (
  id bigint not null generated always as identity,
  chain_id bigint not null,
  sender bytea not null,
  nonce bigint not null,
  recipient bytea not null,
  gas bigint not null,
  block_number bigint,
  block_hash bytea,
  created_at timestamp with time zone not null default now(),
  constraint chain_transactions_pkey PRIMARY KEY (id),
  constraint chain_transactions_chain_id_sender_nonce_key UNIQUE (chain_id, sender, nonce),
  constraint chain_transactions_block_hash_check CHECK ((octet_length(block_hash) = 32)),
  constraint chain_transactions_check CHECK (((block_number IS NULL) = (block_hash IS NULL))),
  constraint chain_transactions_nonce_check CHECK ((nonce >= 0)),
  constraint chain_transactions_recipient_check CHECK ((octet_length(recipient) = 20)),
  constraint chain_transactions_sender_check CHECK ((octet_length(sender) = 20))
);

CREATE TABLE claim_entries (
  id bigint not null generated always as identity,
  claim_id uuid not null,
  type text not null,
  author_id uuid,
  text text,
  mark_id uuid,
  at timestamp with time zone not null default now(),
  constraint claim_entries_pkey PRIMARY KEY (id),
  constraint claim_entries_author_id_fkey FOREIGN KEY (author_id) REFERENCES users(id),
  constraint claim_entries_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES claims(id),
  constraint claim_entries_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id),
  constraint claim_entries_type_check CHECK ((type = ANY (ARRAY['answer'::text, 'withdrawal'::text, 'superseded'::text, 'operator-note'::text])))
);
CREATE INDEX claim_entries_by_author ON claim_entries USING btree (author_id, id);
CREATE INDEX claim_entries_by_claim ON claim_entries USING btree (claim_id, id);
CREATE TRIGGER claim_entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON claim_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE claims (
  id uuid not null,
  artifact_id uuid not null,
  contested_mark_id uuid not null,
  claimant_id uuid not null,
  mark_id uuid,
  kind text not null,
  statement text not null,
  evidence bytea,
  created_at timestamp with time zone not null default now(),
  evidence_state text not null,
  evidence_time timestamp with time zone,
  evidence_details jsonb not null default '{}'::jsonb,
  ended_as text,
  constraint claims_pkey PRIMARY KEY (id),
  constraint claims_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES artifacts(id),
  constraint claims_claimant_id_fkey FOREIGN KEY (claimant_id) REFERENCES users(id),
  constraint claims_contested_mark_id_fkey FOREIGN KEY (contested_mark_id) REFERENCES marks(id),
  constraint claims_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id),
  constraint claims_check CHECK (((kind = 'statement'::text) = (evidence_state = 'none'::text))),
  constraint claims_check1 CHECK (((evidence_state <> 'checked'::text) OR (evidence_time IS NOT NULL))),
  constraint claims_ended_as_check CHECK ((ended_as = ANY (ARRAY['withdrawn'::text, 'superseded'::text]))),
  constraint claims_evidence_state_check CHECK ((evidence_state = ANY (ARRAY['none'::text, 'unchecked'::text, 'checked'::text]))),
  constraint claims_kind_check CHECK ((kind = ANY (ARRAY['statement'::text, 'timestamp'::text, 'manifest'::text, 'chain-entry'::text])))
);
CREATE INDEX claims_by_artifact ON claims USING btree (artifact_id);
CREATE INDEX claims_by_claimant ON claims USING btree (claimant_id, created_at DESC);
CREATE INDEX claims_by_contested_mark ON claims USING btree (contested_mark_id, created_at DESC);
CREATE UNIQUE INDEX claims_open ON claims USING btree (artifact_id, claimant_id) WHERE (ended_as IS NULL);
CREATE TRIGGER claims_are_permanent BEFORE DELETE OR TRUNCATE ON claims FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER claims_do_not_change BEFORE UPDATE OF id, artifact_id, contested_mark_id, claimant_id, mark_id, kind, statement, evidence, created_at ON claims FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER claims_end_once BEFORE UPDATE OF ended_as ON claims FOR EACH ROW WHEN ((old.ended_as IS NOT NULL)) EXECUTE FUNCTION refuse_change();

CREATE TABLE counters (
  owner_id uuid not null,
  organizations integer not null default 0,
  marks integer not null default 0,
  api_keys integer not null default 0,
  lifetime_artifacts bigint not null default 0,
  daily_artifacts integer not null default 0,
  day date not null default ((now() AT TIME ZONE 'utc'::text))::date,
  constraint counters_pkey PRIMARY KEY (owner_id),
  constraint counters_api_keys_check CHECK (((api_keys >= 0) AND (api_keys <= 5))),
  constraint counters_daily_artifacts_check CHECK ((daily_artifacts >= 0)),
  constraint counters_lifetime_artifacts_check CHECK ((lifetime_artifacts >= 0)),
  constraint counters_marks_check CHECK ((marks >= 0)),
  constraint counters_organizations_check CHECK ((organizations >= 0))
);

CREATE TABLE daily_budgets (
  owner_id uuid not null,
  subject text not null,
  day date not null,
  used integer not null,
  constraint daily_budgets_pkey PRIMARY KEY (owner_id, subject)
);
CREATE INDEX daily_budgets_by_day ON daily_budgets USING btree (day);

CREATE TABLE download_files (
  name text not null,
  is_published boolean not null default false,
  unused_since timestamp with time zone,
  constraint download_files_pkey PRIMARY KEY (name)
);

CREATE TABLE downloads (
  only_row boolean not null default true,
  jws text,
  last_attempt_at timestamp with time zone not null default now(),
  holder uuid,
  held_until timestamp with time zone,
  constraint downloads_pkey PRIMARY KEY (only_row),
  constraint downloads_only_row_check CHECK (only_row)
);

CREATE TABLE drafts (
  artifact_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint drafts_pkey PRIMARY KEY (artifact_id)
);
CREATE INDEX drafts_by_age ON drafts USING btree (created_at);

CREATE TABLE event_feed (
  is_only_row boolean not null default true,
  last_position bigint not null,
  constraint event_feed_pkey PRIMARY KEY (is_only_row),
  constraint event_feed_is_only_row_check CHECK (is_only_row)
);

CREATE TABLE event_retention (
  is_only_row boolean not null default true,
  last_id bigint not null default 0,
  last_position bigint not null default 0,
  constraint event_retention_pkey PRIMARY KEY (is_only_row),
  constraint event_retention_is_only_row_check CHECK (is_only_row)
);

CREATE TABLE events (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default now(),
  type text not null,
  actor_id uuid,
  organization_id uuid,
  mark_id uuid,
  user_id uuid,
  key_id uuid,
  data jsonb,
  "position" bigint,
  is_listed boolean not null default true,
  constraint events_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=10000, vacuum_index_cleanup=on);
CREATE INDEX events_by_actor ON events USING btree (actor_id, id DESC) WHERE ((actor_id IS NOT NULL) AND is_listed);
CREATE INDEX events_by_organization ON events USING btree (organization_id, id DESC) WHERE ((organization_id IS NOT NULL) AND is_listed);
CREATE UNIQUE INDEX events_by_position ON events USING btree ("position") WHERE ("position" IS NOT NULL);
CREATE INDEX events_by_user ON events USING btree (user_id, id DESC) WHERE ((user_id IS NOT NULL) AND is_listed);
CREATE INDEX events_without_position ON events USING btree (id) WHERE ("position" IS NULL);
CREATE INDEX feed_of_mark ON events USING btree (mark_id, "position") WHERE ((mark_id IS NOT NULL) AND ("position" IS NOT NULL));
CREATE INDEX feed_of_organization ON events USING btree (organization_id, "position") WHERE ((organization_id IS NOT NULL) AND ("position" IS NOT NULL));
CREATE INDEX feed_of_user ON events USING btree (user_id, "position") WHERE ((user_id IS NOT NULL) AND ("position" IS NOT NULL));
CREATE TRIGGER events_are_append_only BEFORE UPDATE OF id, at, type, actor_id, organization_id, mark_id, user_id, key_id, data, is_listed OR TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_stay BEFORE DELETE ON events FOR EACH ROW WHEN ((old.is_listed OR (old.at > (now() - '1 mon'::interval)))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER positions_are_permanent BEFORE UPDATE OF "position" ON events FOR EACH ROW WHEN ((old."position" IS NOT NULL)) EXECUTE FUNCTION refuse_change();

CREATE TABLE idempotency_keys (
  caller_id uuid not null,
  key text not null,
  request_hash bytea not null,
  response jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (caller_id, key),
  constraint idempotency_keys_request_hash_check CHECK ((octet_length(request_hash) = 32))
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);

CREATE TABLE image_codes (
  sequence bigint not null generated always as identity,
  artifact_id uuid not null,
  p_hash bigint not null,
  d_hash bigint,
  p_hash_center_90 bigint,
  p_hash_center_80 bigint,
  constraint image_codes_pkey PRIMARY KEY (sequence),
  constraint image_codes_artifact_id_key UNIQUE (artifact_id),
  constraint image_codes_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES artifacts(id) ON DELETE CASCADE
);

CREATE TABLE invitations (
  id uuid not null,
  organization_id uuid,
  mark_id uuid,
  token_hash bytea not null,
  email text,
  requires_email boolean not null,
  is_admin boolean not null default false,
  invited_by uuid not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  key_id uuid,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  constraint invitations_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint invitations_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id) ON DELETE CASCADE,
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint invitations_check CHECK ((num_nonnulls(organization_id, mark_id) = 1)),
  constraint invitations_check1 CHECK (((email IS NOT NULL) OR (NOT requires_email))),
  constraint invitations_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX invitations_by_email ON invitations USING btree (email) WHERE (email IS NOT NULL);
CREATE INDEX invitations_by_expiry ON invitations USING btree (expires_at);
CREATE INDEX invitations_by_inviter ON invitations USING btree (invited_by);
CREATE INDEX invitations_by_mark ON invitations USING btree (mark_id) WHERE (mark_id IS NOT NULL);
CREATE INDEX invitations_by_organization ON invitations USING btree (organization_id) WHERE (organization_id IS NOT NULL);

CREATE TABLE leases (
  name text not null,
  holder text not null,
  expires_at timestamp with time zone not null,
  constraint leases_pkey PRIMARY KEY (name)
);

CREATE TABLE log_anchors (
  chain_id bigint not null,
  contract bytea not null,
  size bigint not null,
  root bytea not null,
  transaction_hash bytea not null,
  block_number bigint not null,
  block_hash bytea not null,
  block_time timestamp with time zone not null,
  constraint log_anchors_pkey PRIMARY KEY (chain_id, contract, size)
);
CREATE INDEX log_anchors_by_block ON log_anchors USING btree (block_hash);

CREATE TABLE log_entries (
  id bigint not null generated always as identity,
  kind text not null,
  leaf text,
  fingerprint bytea,
  leaf_index bigint,
  created_at timestamp with time zone not null default now(),
  constraint log_entries_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=10000, vacuum_index_cleanup=on);
CREATE UNIQUE INDEX log_entries_by_index ON log_entries USING btree (leaf_index) WHERE (leaf_index IS NOT NULL);
CREATE INDEX log_entries_without_index ON log_entries USING btree (id) WHERE (leaf_index IS NULL);

CREATE TABLE log_head (
  is_only_row boolean not null default true,
  origin text,
  size bigint not null default 0,
  root bytea not null default sha256('\x'::bytea),
  created_at timestamp with time zone not null default now(),
  constraint log_head_pkey PRIMARY KEY (is_only_row),
  constraint log_head_is_only_row_check CHECK (is_only_row)
);

CREATE TABLE log_import (
  "position" bigint not null,
  kind text not null,
  id uuid not null,
  constraint log_import_pkey PRIMARY KEY ("position"),
  constraint log_import_kind_check CHECK ((kind = ANY (ARRAY['mark'::text, 'artifact'::text, 'claim'::text])))
);

CREATE TABLE log_keys (
  id integer not null generated always as identity,
  vkey text not null,
  signers bytea[] not null,
  created_at timestamp with time zone not null default now(),
  constraint log_keys_pkey PRIMARY KEY (id)
);

CREATE TABLE log_leaves (
  leaf_index bigint not null,
  fingerprint bytea not null,
  constraint log_leaves_pkey PRIMARY KEY (leaf_index)
);
CREATE INDEX log_leaves_by_fingerprint ON log_leaves USING btree (fingerprint, leaf_index);

CREATE TABLE log_openings (
  hidden bytea not null,
  opening jsonb not null,
  mark_id uuid,
  user_id uuid,
  constraint log_openings_pkey PRIMARY KEY (hidden),
  constraint log_openings_check CHECK ((num_nonnulls(mark_id, user_id) <= 1))
);
CREATE INDEX log_openings_by_mark ON log_openings USING btree (mark_id) WHERE (mark_id IS NOT NULL);
CREATE INDEX log_openings_by_user ON log_openings USING btree (user_id) WHERE (user_id IS NOT NULL);

CREATE TABLE mail_stops (
  address_hash bytea not null,
  stopped_at timestamp with time zone not null default now(),
  constraint mail_stops_pkey PRIMARY KEY (address_hash),
  constraint mail_stops_address_hash_check CHECK ((octet_length(address_hash) = 20))
);

CREATE TABLE mailed_addresses (
  user_id uuid not null,
  purpose text not null,
  address_hash bytea not null,
  constraint mailed_addresses_pkey PRIMARY KEY (user_id, purpose, address_hash),
  constraint mailed_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint mailed_addresses_address_hash_check CHECK ((octet_length(address_hash) = 20)),
  constraint mailed_addresses_purpose_check CHECK ((purpose = ANY (ARRAY['invitation'::text, 'verification'::text])))
);

CREATE TABLE mails (
  id uuid not null,
  recipient text not null,
  template text not null,
  data jsonb not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  attempts integer not null default 0,
  run_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  last_error text,
  limited_by text,
  constraint mails_pkey PRIMARY KEY (id)
);
CREATE INDEX mails_by_limit ON mails USING btree (limited_by, template) WHERE (limited_by IS NOT NULL);
CREATE INDEX mails_by_recipient ON mails USING btree (recipient, template);
CREATE INDEX mails_due ON mails USING btree (run_at) WHERE (sent_at IS NULL);

CREATE TABLE mark_counters (
  mark_id uuid not null,
  artifacts bigint not null default 0,
  constraint mark_counters_pkey PRIMARY KEY (mark_id),
  constraint mark_counters_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id) ON DELETE CASCADE
);

CREATE TABLE mark_domains (
  id uuid not null,
  mark_id uuid not null,
  domain text not null,
  claimed_by uuid not null,
  claimed_at timestamp with time zone not null default now(),
  method text,
  verified_at timestamp with time zone,
  last_success_at timestamp with time zone,
  failing_since timestamp with time zone,
  last_checked_at timestamp with time zone,
  last_error text,
  next_check_at timestamp with time zone not null default now(),
  warned_at timestamp with time zone,
  ended_at timestamp with time zone,
  end_reason text,
  ended_by uuid,
  constraint mark_domains_pkey PRIMARY KEY (id),
  constraint mark_domains_claimed_by_fkey FOREIGN KEY (claimed_by) REFERENCES users(id),
  constraint mark_domains_ended_by_fkey FOREIGN KEY (ended_by) REFERENCES users(id),
  constraint mark_domains_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id) ON DELETE CASCADE,
  constraint mark_domains_check CHECK ((((verified_at IS NULL) = (last_success_at IS NULL)) AND ((verified_at IS NULL) = (method IS NULL)))),
  constraint mark_domains_check1 CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
  constraint mark_domains_end_reason_check CHECK ((end_reason = ANY (ARRAY['removed'::text, 'lapsed'::text, 'expired'::text]))),
  constraint mark_domains_method_check CHECK ((method = ANY (ARRAY['dns'::text, 'file'::text])))
);
CREATE UNIQUE INDEX mark_domains_active ON mark_domains USING btree (mark_id, domain) WHERE (ended_at IS NULL);
CREATE INDEX mark_domains_by_domain ON mark_domains USING btree (domain) WHERE ((ended_at IS NULL) AND (verified_at IS NOT NULL));
CREATE INDEX mark_domains_by_mark ON mark_domains USING btree (mark_id) WHERE (verified_at IS NOT NULL);
CREATE INDEX mark_domains_due ON mark_domains USING btree (next_check_at) WHERE (ended_at IS NULL);
CREATE TRIGGER mark_domains_are_not_truncated BEFORE TRUNCATE ON mark_domains FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER mark_domains_are_permanent BEFORE DELETE ON mark_domains FOR EACH ROW EXECUTE FUNCTION refuse_change_of_mark();
CREATE TRIGGER mark_domains_end_once BEFORE UPDATE ON mark_domains FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();

CREATE TABLE mark_members (
  mark_id uuid not null,
  user_id uuid not null,
  added_at timestamp with time zone not null default now(),
  constraint mark_members_pkey PRIMARY KEY (mark_id, user_id),
  constraint mark_members_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id) ON DELETE CASCADE,
  constraint mark_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX mark_members_by_user ON mark_members USING btree (user_id);

CREATE TABLE mark_preferences (
  id bigint not null generated always as identity,
  mark_id uuid not null,
  since timestamp with time zone not null,
  allow_ai_training boolean,
  ai_preferences jsonb,
  constraint mark_preferences_pkey PRIMARY KEY (id),
  constraint mark_preferences_mark_id_fkey FOREIGN KEY (mark_id) REFERENCES marks(id) ON DELETE CASCADE
);
CREATE INDEX mark_preferences_by_mark ON mark_preferences USING btree (mark_id, id DESC);
CREATE TRIGGER mark_preferences_are_permanent BEFORE DELETE ON mark_preferences FOR EACH ROW EXECUTE FUNCTION refuse_change_of_mark();
CREATE TRIGGER mark_preferences_do_not_change BEFORE UPDATE OR TRUNCATE ON mark_preferences FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE marks (
  id uuid not null,
  name text not null,
  search_name text not null,
  visibility text not null,
  license text not null,
  allow_ai_training boolean,
  admin_id uuid not null,
  owner_id uuid,
  organization_id uuid,
  created_at timestamp with time zone not null default now(),
  access_version integer not null default 0,
  name_skeleton text,
  represented_by uuid,
  ai_preferences jsonb,
  constraint marks_pkey PRIMARY KEY (id),
  constraint marks_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES users(id),
  constraint marks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint marks_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id),
  constraint marks_represented_by_fkey FOREIGN KEY (represented_by) REFERENCES marks(id) ON DELETE SET NULL,
  constraint marks_check CHECK ((num_nonnulls(owner_id, organization_id) = 1)),
  constraint marks_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'private'::text])))
);
CREATE INDEX marks_by_admin ON marks USING btree (admin_id);
CREATE INDEX marks_by_name_skeleton ON marks USING btree (name_skeleton) WHERE (visibility = 'public'::text);
CREATE INDEX marks_by_organization ON marks USING btree (organization_id) WHERE (organization_id IS NOT NULL);
CREATE INDEX marks_by_owner ON marks USING btree (owner_id) WHERE (owner_id IS NOT NULL);
CREATE INDEX marks_in_gallery ON marks USING btree (created_at DESC, id DESC) WHERE (visibility = 'public'::text);
CREATE INDEX marks_private ON marks USING btree (id) WHERE (visibility = 'private'::text);
CREATE INDEX marks_without_skeleton ON marks USING btree (id) WHERE (name_skeleton IS NULL);
CREATE CONSTRAINT TRIGGER marks_have_counters AFTER INSERT ON marks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION add_mark_counter();
CREATE TRIGGER marks_record_first_preferences AFTER INSERT ON marks FOR EACH ROW EXECUTE FUNCTION record_preferences();
CREATE TRIGGER marks_record_preferences AFTER UPDATE OF allow_ai_training, ai_preferences ON marks FOR EACH ROW WHEN (((old.allow_ai_training IS DISTINCT FROM new.allow_ai_training) OR (old.ai_preferences IS DISTINCT FROM new.ai_preferences))) EXECUTE FUNCTION record_preferences();

CREATE TABLE one_time_tokens (
  id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  purpose text not null,
  email text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint one_time_tokens_pkey PRIMARY KEY (id),
  constraint one_time_tokens_token_hash_key UNIQUE (token_hash),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['verify-email'::text, 'reset-password'::text]))),
  constraint one_time_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX one_time_tokens_by_user ON one_time_tokens USING btree (user_id);

CREATE TABLE organization_members (
  organization_id uuid not null,
  user_id uuid not null,
  role text not null,
  is_admin boolean not null default false,
  joined_at timestamp with time zone not null default now(),
  constraint organization_members_pkey PRIMARY KEY (organization_id, user_id),
  constraint organization_members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint organization_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint organization_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text])))
);
CREATE INDEX organization_members_by_user ON organization_members USING btree (user_id);

CREATE TABLE organizations (
  id uuid not null,
  name text not null,
  owner_id uuid not null,
  status text not null default 'active'::text,
  purchased_units integer not null default 0,
  member_count integer not null default 1,
  created_at timestamp with time zone not null default now(),
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id),
  constraint organizations_check CHECK (((member_count >= 1) AND (member_count <= (1 + purchased_units)))),
  constraint organizations_purchased_units_check CHECK ((purchased_units >= 0)),
  constraint organizations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'frozen'::text])))
);
CREATE INDEX organizations_by_owner ON organizations USING btree (owner_id);

CREATE TABLE outbox (
  id bigint not null generated always as identity,
  artifact_id uuid not null,
  attempts integer not null default 0,
  run_at timestamp with time zone not null default now(),
  last_error text,
  created_at timestamp with time zone not null default now(),
  transaction_id bigint,
  trace_context text,
  constraint outbox_pkey PRIMARY KEY (id),
  constraint outbox_artifact_id_key UNIQUE (artifact_id),
  constraint outbox_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES artifacts(id),
  constraint outbox_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES chain_transactions(id)
);
CREATE INDEX outbox_by_transaction ON outbox USING btree (transaction_id) WHERE (transaction_id IS NOT NULL);
CREATE INDEX outbox_due ON outbox USING btree (run_at, id) WHERE (transaction_id IS NULL);

CREATE TABLE registries (
  chain_id bigint not null,
  address bytea not null,
  first_used_at timestamp with time zone not null default now(),
  constraint registries_pkey PRIMARY KEY (chain_id, address),
  constraint registries_address_check CHECK ((octet_length(address) = 20))
);

CREATE TABLE second_factors (
  user_id uuid not null,
  secret bytea not null,
  confirmed_at timestamp with time zone,
  last_step bigint not null default 0,
  failures integer not null default 0,
  blocked_until timestamp with time zone,
  recovery_code_hashes bytea[] not null default '{}'::bytea[],
  constraint second_factors_pkey PRIMARY KEY (user_id),
  constraint second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE sessions (
  id uuid not null,
  user_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  user_agent text,
  ended_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_by_user ON sessions USING btree (user_id);

CREATE TABLE signing_certificates (
  sha256 bytea not null,
  first_used_at timestamp with time zone not null default now(),
  constraint signing_certificates_pkey PRIMARY KEY (sha256),
  constraint signing_certificates_sha256_check CHECK ((octet_length(sha256) = 32))
);

CREATE TABLE sound_codes (
  artifact_id uuid not null,
  "extract" integer[],
  constraint sound_codes_pkey PRIMARY KEY (artifact_id),
  constraint sound_codes_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES artifacts(id) ON DELETE CASCADE
);
CREATE INDEX sound_codes_by_value ON sound_codes USING gin ("extract") WITH (fastupdate=off);
CREATE INDEX sound_codes_missing ON sound_codes USING btree (artifact_id) WHERE ("extract" IS NULL);

CREATE TABLE users (
  id uuid not null,
  email text,
  name text not null,
  password_hash text,
  issuer text,
  subject text,
  tier text not null default 'free'::text,
  created_at timestamp with time zone not null default now(),
  email_verified boolean not null default false,
  has_totp boolean not null default false,
  tokens_not_before timestamp(3) with time zone,
  closed_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint users_issuer_subject_key UNIQUE (issuer, subject),
  constraint users_check CHECK (((issuer IS NULL) = (subject IS NULL))),
  constraint users_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'creator'::text, 'enterprise'::text])))
);

CREATE TABLE webhook_deliveries (
  id bigint not null generated always as identity,
  webhook_id uuid not null,
  "position" bigint not null,
  attempt integer not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  status smallint,
  error text,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries USING btree (at);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries USING btree (webhook_id, id DESC);

CREATE TABLE webhooks (
  id uuid not null,
  user_id uuid,
  organization_id uuid,
  created_by uuid not null,
  url text not null,
  types text[],
  created_at timestamp with time zone not null,
  created_event_id bigint not null,
  secret_version integer not null default 1,
  secret_rotated_at timestamp with time zone,
  "position" bigint not null,
  pending_position bigint not null default 0,
  attempts integer not null default 0,
  failing_since timestamp with time zone,
  run_at timestamp with time zone not null,
  revision integer not null default 0,
  lease_id uuid,
  leased_until timestamp with time zone,
  is_slow boolean not null default false,
  paused_at timestamp with time zone,
  pause_reason text,
  key_id uuid,
  verified_at timestamp with time zone,
  challenge text,
  challenges_left smallint not null default 0,
  challenge_error text,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint webhooks_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint webhooks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint webhooks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint webhooks_check CHECK ((num_nonnulls(user_id, organization_id) = 1)),
  constraint webhooks_check1 CHECK (((paused_at IS NULL) = (pause_reason IS NULL))),
  constraint webhooks_pause_reason_check CHECK ((pause_reason = ANY (ARRAY['requested'::text, 'failing'::text, 'gone'::text])))
);
CREATE INDEX webhooks_by_creator ON webhooks USING btree (created_by);
CREATE INDEX webhooks_by_organization ON webhooks USING btree (organization_id) WHERE (organization_id IS NOT NULL);
CREATE INDEX webhooks_by_user ON webhooks USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX webhooks_challenged ON webhooks USING btree (run_at) WHERE ((paused_at IS NULL) AND (verified_at IS NULL) AND (challenges_left > 0));
CREATE INDEX webhooks_due ON webhooks USING btree (run_at) WHERE ((paused_at IS NULL) AND (verified_at IS NOT NULL) AND (pending_position > "position"));

CREATE OR REPLACE FUNCTION add_failed_log_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into log_entries (kind, fingerprint) values ('failed', new.fingerprint);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION add_key_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.created_by := (select owner_id from organizations where id = new.organization_id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION add_log_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into log_entries (kind, fingerprint)
  values (case when new.rendition_of is null then 'artifact' else 'rendition' end, new.fingerprint);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION add_mark_counter()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into mark_counters (mark_id) values (new.id) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION complete_artifact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    update mark_counters set artifacts = artifacts - 1 where mark_id = new.mark_id;
    return null;
  end if;
  update mark_counters set artifacts = artifacts + 1 where mark_id = new.mark_id;
  insert into image_codes (artifact_id, p_hash)
  select new.id, image_code(new.metadata ->> 'pHash')
  where new.metadata ->> 'pHash' ~ '^0x[0-9a-f]{16}$'
    and new.metadata ->> 'pHash' not in ('0x0000000000000000', '0xffffffffffffffff');
  insert into sound_codes (artifact_id) select new.id where new.metadata ? 'chromaprint';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION find_sounds(asked integer[])
 RETURNS TABLE(artifact_id uuid, shared bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 20
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
  select found.artifact_id, count(*)
  from unnest(asked) value
  cross join lateral (
    select sound_codes.artifact_id from sound_codes where extract @> array[value] limit 500
  ) found
  group by found.artifact_id
  having count(*) > 1
$function$;

CREATE OR REPLACE FUNCTION image_code(hash text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select ('x' || substr(hash, 3))::bit(64)::bigint
$function$;

CREATE OR REPLACE FUNCTION record_preferences()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into mark_preferences (mark_id, since, allow_ai_training, ai_preferences) values (
    new.id,
    -- Not now(), the start of the transaction: it may have waited for an earlier change of the same Mark.
    case when tg_op = 'INSERT' then new.created_at else clock_timestamp() end,
    new.allow_ai_training,
    new.ai_preferences
  );
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse(reason text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using errcode = 'RF001', message = reason;
end $function$;

CREATE OR REPLACE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% are never changed or removed', tg_table_name;
end $function$;

CREATE OR REPLACE FUNCTION refuse_change_of_mark()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select 1 from marks where id = old.mark_id) then
    raise exception '% are never changed or removed', tg_table_name;
  end if;
  return old;
end $function$;
