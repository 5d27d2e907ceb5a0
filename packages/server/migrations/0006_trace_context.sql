-- The W3C trace context of the request that created an Artifact, so that its registration on chain joins the trace.
alter table outbox add column trace_context text;   -- null: the request was not traced
