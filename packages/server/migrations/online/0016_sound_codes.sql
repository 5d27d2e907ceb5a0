-- 0030 adds the recordings that exist already.

-- step: add the table of sound codes
-- original without: insert into sound_codes
