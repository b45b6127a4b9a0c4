#!/bin/sh
# Vets the table contacts (id, email) of a DuckDB database into the table email_verdicts.
#   sh duckdb.sh crm.duckdb
set -eu
database=$1

duckdb "$database" "COPY (SELECT id, email FROM contacts ORDER BY id) TO 'contacts.csv' (HEADER)"

# A guard that trips ends the script; the old verdicts stay.
mailvet bulk contacts.csv --column email -o new.csv --max-unknown 20% --quiet
mailvet diff vetted.csv new.csv --min-rows 80% --max-gone 10% --quiet > /dev/null
mv new.csv vetted.csv

duckdb "$database" "CREATE OR REPLACE TABLE email_verdicts AS
  SELECT CAST(id AS BIGINT) AS id, email, mailvet_status AS status, mailvet_sub_status AS sub_status,
    TRY_CAST(mailvet_confidence AS DOUBLE) AS confidence, mailvet_safe_to_send = 'true' AS safe_to_send
  FROM read_csv('vetted.csv', header = true, all_varchar = true)"
