"""What a straightforward script does: downloads a channel with aiohttp and keeps each document's versions in SQLite.

sync_aiohttp.py URL ORG CHANNEL API_KEY DATABASE; prints requests, seconds, cpuSeconds and peakMiB as JSON.
"""

import asyncio
import hashlib
import json
import resource
import sqlite3
import sys
import time

import aiohttp

CONCURRENCY = 16


def open_database(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = full")
    db.execute(
        "create table if not exists versions (kind text, rfq text, id text, version integer, sha256 text,"
        " observed_at text, body text, primary key (kind, rfq, id, version))"
    )
    return db


def record(db, documents):
    """Stores the documents that are new or changed, in one transaction."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    db.execute("begin immediate")
    for kind, rfq, document in documents:
        body = json.dumps(document, sort_keys=True)
        sha256 = hashlib.sha256(body.encode()).hexdigest()
        newest = db.execute(
            "select version, sha256 from versions where kind = ? and rfq = ? and id = ? order by version desc limit 1",
            (kind, rfq, document["id"]),
        ).fetchone()
        if newest is None or newest[1] != sha256:
            version = newest[0] + 1 if newest else 1
            db.execute("insert into versions values (?, ?, ?, ?, ?, ?, ?)", (kind, rfq, document["id"], version, sha256, now, body))
    db.execute("commit")


async def sync(url, org, channel, api_key, database):
    db = open_database(database)
    base = f"{url}/v1/orgs/{org}/channels/{channel}"
    slots = asyncio.Semaphore(CONCURRENCY)
    requests = 0
    connector = aiohttp.TCPConnector(limit=CONCURRENCY)
    async with aiohttp.ClientSession(headers={"authorization": api_key}, connector=connector) as session:

        async def get(path):
            nonlocal requests
            requests += 1
            async with session.get(base + path) as response:
                response.raise_for_status()
                return await response.json()

        async def sync_rfq(id):
            async with slots:
                rfq = await get(f"/rfqs/{id}")
                offers = await asyncio.gather(*(get(f"/rfqs/{id}/responses/{each['id']}") for each in rfq["responses"]))
                record(db, [("rfq", id, rfq), *(("response", id, offer) for offer in offers)])

        listings = await get("/listings")
        record(db, [("listing", "", listing) for listing in listings["items"]])
        rfqs = await get("/rfqs")
        await asyncio.gather(*(sync_rfq(item["id"]) for item in rfqs["items"]))
    db.close()
    return requests


def main():
    began = time.perf_counter()
    requests = asyncio.run(sync(*sys.argv[1:6]))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "requests": requests,
        "seconds": time.perf_counter() - began,
        "cpuSeconds": usage.ru_utime + usage.ru_stime,
        "peakMiB": usage.ru_maxrss / 1024,
    }
    print(json.dumps(figures))


main()
