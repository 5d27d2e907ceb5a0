-- A statement that finds at its end that it should not have happened ends with this: nothing of it has, then.
create function refuse(reason text) returns text language plpgsql as $$
begin
  raise exception using errcode = 'RF001', message = reason;
end $$;
