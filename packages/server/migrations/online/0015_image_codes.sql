-- 0030 adds the codes of Artifacts that exist already.

-- step: add the table of image codes
-- original without: insert into image_codes
