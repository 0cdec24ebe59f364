#!/usr/bin/env python3
"""Weekly numbers from a CSV of tickets, as JSON. Standard library only (Python 3.8+).

    python3 summarize-tickets.py tickets.csv [--week 2026-W03] [--targets P1=4,P2=24,P3=72,P4=120]

"-" reads standard input. Without --week, the last week in which a ticket was opened or closed.
Definitions: references/metrics.md. Exit code 0: done; 2: the input cannot be used.
"""

import argparse
import csv
import io
import json
import math
import re
import statistics
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone

COLUMNS = ["id", "created_at", "closed_at", "priority", "category", "assignee", "subject"]
TARGETS = "P1=4,P2=24,P3=72,P4=120"
OLDEST_SHOWN = 10


class InputError(Exception):
    """The input as a whole cannot be used."""


def parse_time(text):
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc)


def parse_targets(text):
    targets = {}
    for part in f"{TARGETS},{text}".split(","):
        match = re.fullmatch(r"\s*(P[1-4])=(\d+(?:\.\d+)?)\s*", part)
        if not match:
            raise InputError(f'--targets: cannot read "{part}", expected for example P1=4')
        targets[match[1]] = float(match[2])
    return targets


def parse_week(text):
    match = re.fullmatch(r"(\d{4})-W(\d{2})", text)
    if not match:
        raise InputError(f'--week: cannot read "{text}", expected for example 2026-W03')
    try:
        day = datetime.fromisocalendar(int(match[1]), int(match[2]), 1)
    except ValueError as error:
        raise InputError(f"--week: {error}") from error
    return day.replace(tzinfo=timezone.utc)


def monday_of(moment):
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def read_tickets(stream):
    text = stream.read().lstrip("\ufeff")
    header = text.partition("\n")[0]
    # Spreadsheets in many countries write semicolons.
    delimiter = ";" if header.count(";") > header.count(",") else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    reader.fieldnames = [(name or "").strip().lower() for name in reader.fieldnames or []]
    missing = [name for name in COLUMNS if name not in reader.fieldnames]
    if missing:
        raise InputError(f"columns missing: {', '.join(missing)}")
    tickets, problems, seen = [], [], set()
    for row in reader:
        values = {name: (row.get(name) or "").strip() for name in COLUMNS}
        ticket_id = values["id"] or f"line {reader.line_num}"
        if ticket_id in seen:
            problems.append(f"{ticket_id}: id appears again, later row left out")
            continue
        seen.add(ticket_id)
        try:
            created = parse_time(values["created_at"])
            closed = parse_time(values["closed_at"]) if values["closed_at"] else None
        except ValueError:
            problems.append(f"{ticket_id}: unreadable date, left out")
            continue
        if closed and closed < created:
            problems.append(f"{ticket_id}: closed before it was created, left out")
            continue
        tickets.append(
            {
                "id": ticket_id,
                "created": created,
                "closed": closed,
                "priority": values["priority"].upper(),
                "category": values["category"].lower() or "uncategorised",
                "assignee": values["assignee"] or "unassigned",
                "subject": values["subject"],
            }
        )
    return tickets, problems


def hours(start, end):
    return (end - start).total_seconds() / 3600


def within(moment, start, end):
    return moment is not None and start <= moment < end


def open_at(ticket, moment):
    return ticket["created"] < moment and (ticket["closed"] is None or ticket["closed"] >= moment)


def rounded(value):
    return None if value is None else round(value, 1)


def summarize(tickets, problems, start, targets):
    end = start + timedelta(days=7)
    before = start - timedelta(days=7)
    opened = [t for t in tickets if within(t["created"], start, end)]
    closed = [t for t in tickets if within(t["closed"], start, end)]
    backlog = [t for t in tickets if open_at(t, end)]
    durations = sorted(hours(t["created"], t["closed"]) for t in closed)
    measured = [t for t in closed if t["priority"] in targets]
    kept = [t for t in measured if hours(t["created"], t["closed"]) <= targets[t["priority"]]]
    overdue = [t for t in backlog if hours(t["created"], end) > targets.get(t["priority"], math.inf)]
    overdue.sort(key=lambda t: (t["priority"], t["created"]))

    def group(ticket):
        return ticket["priority"] if ticket["priority"] in targets else "other"

    priorities = {}
    for name in [*sorted(targets), "other"]:
        row = {
            "opened": sum(group(t) == name for t in opened),
            "closed": sum(group(t) == name for t in closed),
            "within_target": sum(group(t) == name for t in kept),
            "open": sum(group(t) == name for t in backlog),
            "overdue": sum(group(t) == name for t in overdue),
        }
        if any(row.values()):
            priorities[name] = row
    categories = Counter(t["category"] for t in opened)
    year, week, _ = start.isocalendar()
    return {
        "week": f"{year}-W{week:02d}",
        "from": start.date().isoformat(),
        "to": (end - timedelta(days=1)).date().isoformat(),
        "opened": len(opened),
        "closed": len(closed),
        "backlog_start": sum(open_at(t, start) for t in tickets),
        "backlog_end": len(backlog),
        "previous": {
            "opened": sum(within(t["created"], before, start) for t in tickets),
            "closed": sum(within(t["closed"], before, start) for t in tickets),
        },
        "closed_with_target": len(measured),
        "within_target": len(kept),
        "median_hours": rounded(statistics.median(durations) if durations else None),
        "p90_hours": rounded(durations[math.ceil(0.9 * len(durations)) - 1] if durations else None),
        "by_priority": priorities,
        "by_category": dict(sorted(categories.items(), key=lambda item: (-item[1], item[0]))),
        "overdue_count": len(overdue),
        "overdue": [
            {
                "id": t["id"],
                "priority": t["priority"],
                "age_hours": rounded(hours(t["created"], end)),
                "assignee": t["assignee"],
                "subject": t["subject"],
            }
            for t in overdue[:OLDEST_SHOWN]
        ],
        "rows_used": len(tickets),
        "problems": problems,
    }


def main():
    parser = argparse.ArgumentParser(description="Weekly numbers from a CSV of tickets, as JSON.")
    parser.add_argument("csv", help='the CSV file, or "-" for standard input')
    parser.add_argument("--week", help="ISO week, for example 2026-W03")
    parser.add_argument("--targets", default=TARGETS, help=f"hours to close, default {TARGETS}")
    options = parser.parse_args()
    try:
        targets = parse_targets(options.targets)
        if options.csv == "-":
            tickets, problems = read_tickets(sys.stdin)
        else:
            with open(options.csv, encoding="utf-8", newline="") as stream:
                tickets, problems = read_tickets(stream)
        if not tickets:
            raise InputError("no usable row")
        if options.week:
            start = parse_week(options.week)
        else:
            start = monday_of(max(t["closed"] or t["created"] for t in tickets))
        json.dump(summarize(tickets, problems, start, targets), sys.stdout, indent=2)
        print()
    except (InputError, OSError, UnicodeDecodeError, csv.Error) as error:
        print(f"summarize-tickets: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
