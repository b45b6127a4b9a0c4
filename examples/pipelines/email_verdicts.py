"""A Python model for dbt with DuckDB (models/email_verdicts.py): the verdict of each address of the model contacts.

An incremental run vets new addresses only. Verdicts age: run it with --full-refresh once a month.
"""

import os
import subprocess
import tempfile


def model(dbt, session):
    dbt.config(materialized="incremental", unique_key="email")
    contacts = dbt.ref("contacts")
    emails = contacts.project("email").filter("email IS NOT NULL").distinct()
    if dbt.is_incremental:
        known = session.sql(f"SELECT email FROM {dbt.this}")
        emails = emails.except_(known)
    folder = tempfile.mkdtemp(prefix="mailvet-")
    source, vetted = os.path.join(folder, "contacts.csv"), os.path.join(folder, "vetted.csv")
    emails.write_csv(source, header=True)
    # A status other than 0 fails the model, so that the table stays as it was.
    command = ["mailvet", "bulk", source, "--column", "email", "-o", vetted, "--max-unknown", "20%", "--quiet"]
    subprocess.run(command, check=True)
    return session.sql(
        f"""SELECT email, mailvet_status AS status, mailvet_sub_status AS sub_status,
          TRY_CAST(mailvet_confidence AS DOUBLE) AS confidence, mailvet_safe_to_send = 'true' AS safe_to_send
        FROM read_csv('{vetted}', header = true, all_varchar = true)"""
    )
