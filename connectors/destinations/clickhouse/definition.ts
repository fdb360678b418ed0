import { defineDestination } from '@tributary/connector-kit'
import { warehouseParts } from '../../wire/warehouse/definition.ts'
import { warehouseSteps } from '../../wire/warehouse/guide.ts'
import { withSession } from './session.ts'
import { type ClickhouseSettings, check, settings } from './settings.ts'
import { testConnection } from './test-connection.ts'

const grants = `CREATE DATABASE tributary;
CREATE USER tributary IDENTIFIED BY 'choose one';
GRANT SELECT, INSERT, CREATE TABLE, CREATE VIEW, DROP VIEW, DROP TABLE, ALTER TABLE
  ON tributary.* TO tributary;`

/** Loads events to tables of a ClickHouse database. */
export const clickhouse = defineDestination({
  slug: 'clickhouse',
  title: 'ClickHouse',
  description: 'Loads events to tables in your database, one table per event, with a column for each property.',
  docs: {
    url: 'https://clickhouse.com/docs/sql-reference/statements/grant',
    steps: [
      {
        title: 'Create a database and a user',
        text: 'Run this as an administrator. The user needs no privileges on other databases.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Allow connections from Tributary in your firewall. Tributary uses the HTTP interface, usually at port 8443 with TLS and 8123 without, and not the native one at 9000. To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      ...warehouseSteps({
        types: '`String`, `Decimal(38, 10)`, `Bool`, `DateTime64(6)`, and `String` with JSON for lists and objects',
        users:
          '`users` and `accounts` are views of the newest row of each. Their versions are in `_users_versions` and `_accounts_versions`.',
        tested: 'Tested with the engine of ClickHouse 26.7 in one server, not with ClickHouse Cloud or a cluster.',
      }),
    ],
  },
  settings,
  check,
  testConnection,
  ...warehouseParts<ClickhouseSettings>({
    withSession,
    address: ({ user, host, port, database }) => `${user}@${host}:${port}/${database}`,
    billed: () => false,
    types: ['String', 'Decimal(38, 10)', 'Float64', 'Int64', 'Bool', "DateTime64(6, 'UTC')", 'Date32'],
  }),
})
