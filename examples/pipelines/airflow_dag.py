"""An Airflow DAG that vets a list every night (AIRFLOW_HOME/dags/vet_contacts.py)."""

import os
import shutil
import subprocess
from datetime import datetime, timedelta

from airflow.exceptions import AirflowException, AirflowFailException
from airflow.sdk import dag, task

FOLDER = os.environ.get("MAILVET_LISTS", "/srv/lists")

# 4: the network is down; 6: the list is being written, or another mailvet uses it; 130: interrupted.
RETRY = {4, 6, 130}


@task(retries=5, retry_delay=timedelta(minutes=10))
def vet(ds=None):
    """Writes vetted.csv. A retry goes on: no answered address is asked again."""
    output = os.path.join(FOLDER, f"vetted-{ds}.csv")
    last = os.path.join(FOLDER, "vetted.csv")
    command = ["mailvet", "bulk", os.path.join(FOLDER, "contacts.csv"), "--column", "email", "--quiet"]
    command += ["-o", output, "--max-unknown", "20%"]
    guards = ["--min-rows", "80%", "--max-gone", "10%", "--max-changed", "30%", "-o", f"{output}.changes.csv"]
    status = subprocess.run(command).returncode or subprocess.run(
        ["mailvet", "diff", last, output, "--only-changed", "--quiet", *guards]
    ).returncode
    if status in RETRY:
        raise AirflowException(f"mailvet ended with {status}; the next try continues.")
    if status != 0:
        # 1: a guard tripped; 2: the list cannot be read; 3: key or credits. Another try would end the same.
        raise AirflowFailException(f"mailvet ended with {status}; its log says why. vetted.csv is unchanged.")
    shutil.copyfile(output, f"{last}.tmp")
    os.replace(f"{last}.tmp", last)
    return last


@dag(schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def vet_contacts():
    vet()


vet_contacts()
