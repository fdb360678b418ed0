import { defineDataSource } from '@tributary/connector-kit'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const grants = `CREATE USER 'tributary'@'%' IDENTIFIED BY 'choose one';
GRANT SELECT, SHOW VIEW ON your_database.* TO 'tributary'@'%';`

/** Reads tables and queries of a MySQL or MariaDB database. */
export const mysql = defineDataSource({
  slug: 'mysql',
  title: 'MySQL and MariaDB',
  description: 'Reads tables and queries from your database. Nothing is ever written to it.',
  docs: {
    url: 'https://mariadb.com/docs/server/reference/sql-statements/account-management-sql-statements/grant',
    steps: [
      {
        title: 'Create a user that can only read',
        text: "Run this as a database administrator. Repeat the second line for each database you want to read. In place of `%`, you can name the address Tributary connects from. Don't grant `FILE` or `EXECUTE`: stored functions can do more than read.",
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Allow connections from Tributary in your firewall, preferably encrypted (`REQUIRE SSL`). To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`. If you use your own certificate authority, paste its certificate into the form. Without TLS, choose **None** for encryption, and only on a network you trust.',
      },
      {
        title: 'What is read',
        text: 'Each connection is read-only, each query runs in a read-only transaction with a time limit, and only one `SELECT` is accepted at a time. To keep load off your main server, connect to a replica. Tested with MariaDB 10.11.',
      },
      {
        title: 'How values are read',
        text: '`TIMESTAMP` is read in UTC; `DATETIME` has no time zone and is taken to be UTC. Binary values are read as hexadecimal digits after `\\x`, `BIT` as a number, and `TINYINT(1)` as 0 or 1. A zero date, such as `0000-00-00` or `2026-11-00`, stays that text and is never read as a day, so most destinations reject it; write `NULLIF(column, 0)` in a query to read `0000-00-00` as null.',
      },
    ],
  },
  settings,
  check,
  open: openSession,
})
