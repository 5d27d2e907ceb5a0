-- A webhook sends events once its URL has answered a challenge, which shows that the receiver wants them.

alter table webhooks
  add column verified_at timestamptz,          -- null: the URL has not answered its challenge
  add column challenge text,                   -- what it has to answer; null once it has
  add column challenges_left smallint not null default 0, -- requests that may still be sent with it
  add column challenge_error text;             -- why the last one was not answered
-- Those from before go on: their receivers have got events.
update webhooks set verified_at = now();

drop index webhooks_due;
create index webhooks_due on webhooks (run_at)
  where paused_at is null and verified_at is not null and pending_position > position;
create index webhooks_challenged on webhooks (run_at)
  where paused_at is null and verified_at is null and challenges_left > 0;
