-- Who signs in names an email address, which users of several companies may have: their ids by address, in lower case. A row stays when
-- the user gives the address up; the user's own row in `credentials` tells. Rows go in before those of records.
CREATE TABLE IF NOT EXISTS user_emails (
  email String,
  id    String
) ENGINE = ReplacingMergeTree
ORDER BY (email, id)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE MATERIALIZED VIEW IF NOT EXISTS user_emails_of_records TO user_emails AS
SELECT JSONExtractString(json, 'email') AS email, id FROM credentials_in WHERE kind = 'user';
