-- A rendition is another form of a registered file, such as the image with its manifest embedded. It is a row beside its
-- Artifact, so that one unique index covers the fingerprints of both, and both reach the chain in the same way.
alter table artifacts
  add column rendition_of uuid references artifacts,   -- null: the row is an Artifact
  add check (rendition_of <> id);
create index artifacts_renditions on artifacts (rendition_of) where rendition_of is not null;
-- Lists contain Artifacts only.
drop index artifacts_by_mark;
create index artifacts_by_mark on artifacts (mark_id, created_at desc, id desc) where rendition_of is null;
-- Responses that are kept for retries have the form of today's responses.
update idempotency_keys set response = response || '{"renditions": []}' where not response ? 'renditions';

-- The certificates that this service has signed with: manifests of others are not its own.
create table signing_certificates (
  sha256 bytea primary key check (octet_length(sha256) = 32),   -- of the leaf certificate's DER form
  first_used_at timestamptz not null default now()
);
