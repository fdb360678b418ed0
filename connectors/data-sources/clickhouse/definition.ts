import { defineDataSource } from '@tributary/connector-kit'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const grants = `CREATE USER tributary IDENTIFIED BY 'choose one';
GRANT SELECT ON your_database.* TO tributary;`

/** Reads tables and queries of a ClickHouse database, over HTTP. */
export const clickhouse = defineDataSource({
  slug: 'clickhouse',
  title: 'ClickHouse',
  description: 'Reads tables and queries from your database. Nothing is ever written to it.',
  docs: {
    url: 'https://clickhouse.com/docs/sql-reference/statements/grant',
    steps: [
      {
        title: 'Create a user that can only read',
        text: "Run this as a database administrator. Repeat the second line for each database you want to read. Don't give the user a settings profile with `readonly = 1`: its settings could not be changed, and Tributary sets `readonly = 1` and a time limit with each query. A profile with `readonly = 2` works.",
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Allow connections from Tributary in your firewall. Tributary uses the HTTP interface, usually at port 8443 with TLS and 8123 without, and not the native one at 9000. To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`. If you use your own certificate authority, paste its certificate into the form. Without TLS, choose **None** for encryption, and only on a network you trust.',
      },
      {
        title: 'What is read',
        text: 'Each query runs with `readonly = 1` and a time limit, and only one `SELECT` is accepted at a time. Leave out `SETTINGS`, `FORMAT`, and table functions that read from elsewhere, such as `url` and `s3`. Scalar subqueries run when a query is checked, because ClickHouse needs their values to tell its columns. A primary key of ClickHouse can have duplicates: check the key of a model, and use `FINAL` or `GROUP BY` in a query where rows have several versions. Tested with the engine of ClickHouse 26.7.',
      },
      {
        title: 'How values are read',
        text: '`DateTime` and `DateTime64` are read in UTC. Numbers and decimals keep every digit. `Array`, `Map`, `Tuple`, `JSON`, `Variant`, and `Dynamic` are read as JSON. A `String` that is not UTF-8 is read as hexadecimal digits after `\\x`. A `FixedString` keeps the NUL characters at its end, which some destinations reject: remove them with `toStringCutToZero` in a query.',
      },
    ],
  },
  settings,
  check,
  open: openSession,
})
