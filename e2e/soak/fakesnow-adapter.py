"""Runs statements of Snowflake on fakesnow: a line of JSON for each statement, and a line for each result."""

import datetime
import decimal
import json
import re
import sys

import fakesnow
import snowflake.connector
import sqlglot

# fakesnow 0.12 lacks these forms, which Snowflake documents.
LACKING = [
    (re.compile(r"TRY_TO_(TIMESTAMP_TZ)\((CASE WHEN .*? END), 'AUTO'\)", re.S), r"TRY_CAST(\2 AS \1)"),
    (re.compile(r", 'AUTO'\)"), ")"),
    (re.compile(r"\bGET\("), "GET_PATH("),
    (re.compile(r"CURRENT_WAREHOUSE\(\)"), "'SMALL'"),
]
TYPES = ["fixed", "real", "text", "date", "timestamp_ntz", "variant", "timestamp_ltz", "timestamp_tz",
         "timestamp_ntz", "object", "array", "binary", "time", "boolean"]


def text(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)


def run(cursor, request):
    sql = request["sql"]
    for pattern, replacement in LACKING:
        sql = pattern.sub(replacement, sql)
    for value in request["values"]:
        literal = "NULL" if value is None else "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
        sql = sql.replace("?", literal, 1)
    cursor.execute(sql)
    columns = [
        {"name": d.name, "type": TYPES[d.type_code], "precision": d.precision, "scale": d.scale}
        for d in cursor.description or []
    ]
    return {"columns": columns, "rows": [[text(value) for value in row] for row in cursor.fetchall()]}


def answer(cursor, request):
    try:
        if request["count"]:
            return {"count": len([each for each in sqlglot.parse(request["sql"], read="snowflake") if each])}
        return run(cursor, request)
    except snowflake.connector.errors.Error as error:
        return {"code": str(error.errno).zfill(6), "sqlState": error.sqlstate or "", "message": error.raw_msg or str(error)}
    except Exception as error:
        return {"code": "001003", "sqlState": "42000", "message": str(error)}


with fakesnow.patch():
    connection = snowflake.connector.connect(database="COMPANY", schema="PUBLIC")
    cursor = connection.cursor()
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(cursor, json.loads(line))), flush=True)
