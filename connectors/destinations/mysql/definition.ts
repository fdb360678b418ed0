import { defineDestination } from '@tributary/connector-kit'
import { tableObject } from '../../wire/access/table-object.ts'
import { upsertRow } from './actions/upsert-row.ts'
import { deliver, deliverRows } from './deliver.ts'
import { keyForms } from './key-forms.ts'
import { listKeys } from './list-keys.ts'
import { prepareTable } from './prepare-table.ts'
import { check, settings } from './settings.ts'
import { testConnection } from './test-connection.ts'

const grants = `CREATE DATABASE tributary CHARACTER SET utf8mb4;
CREATE USER 'tributary'@'%' IDENTIFIED BY 'choose one';
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER ON tributary.* TO 'tributary'@'%';`

const field = (name: string) => ({ type: 'FIELD', name }) as const

/** Writes rows to tables of a MySQL or MariaDB database, identified by their key. */
export const mysql = defineDestination({
  slug: 'mysql',
  title: 'MySQL and MariaDB',
  description: 'Writes rows to tables in your database, by their key, with the columns you map.',
  docs: {
    url: 'https://mariadb.com/docs/server/reference/sql-statements/account-management-sql-statements/grant',
    steps: [
      {
        title: 'Create a user and a database',
        text: 'Run this as a database administrator. In place of `%`, you can name the address Tributary connects from. To write to existing tables only, `CREATE` and `ALTER` are not needed.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Allow connections from Tributary in your firewall, preferably encrypted (`REQUIRE SSL`). To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`. If you use your own certificate authority, paste its certificate into the form. Without TLS, choose **None** for encryption, and only on a network you trust.',
      },
      {
        title: 'What is written',
        text: 'Each row has a key. A table that does not exist is created, with the key as its primary key; an existing table needs a unique index on the key column, and must use InnoDB. Missing columns are added: `longtext`, `decimal(38,10)`, `tinyint(1)`, `datetime(6)` in UTC, and `json` for lists and objects. A row with a value that does not fit its column is rejected, and nothing is rounded or cut.',
      },
      {
        title: 'Events',
        text: 'Events are rows of the event table, one per message ID, so duplicates are stored once. On the **Mappings** tab you choose which fields become which columns. Tested with MariaDB 10.11.',
      },
    ],
  },
  category: 'Databases and storage',
  kinds: ['Event Streams', 'ETL'],
  auth: 'key',
  settings,
  check,
  objects: [
    {
      name: 'rows',
      title: 'Rows of a table',
      description: 'One row per key, with the columns you map.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ setting: 'row_key' }],
      actions: ['upsert_row'],
    },
  ],
  actions: [upsertRow],
  presets: [
    {
      action: 'upsert_row',
      fields: {
        id: field('messageId'),
        type: field('type'),
        event: field('event'),
        user_id: field('userId'),
        anonymous_id: field('anonymousId'),
        timestamp: field('timestamp'),
        properties: field('properties'),
        traits: field('traits'),
        context: field('context'),
      },
    },
  ],
  batching: () => ({ maxEvents: 500, maxBytes: 1024 * 1024, maxWaitMs: 2000 }),
  concurrency: 1,
  // The last write to a row counts, so writes keep their order.
  ordered: () => true,
  testConnection,
  deliver,
  deliverRows,
  listKeys,
  keyForms,
  prepareRows: prepareTable,
  rowObjects: [
    {
      name: 'table',
      title: 'Table',
      description: 'One row per key in a table of the database, which is created if it does not exist.',
      syncModes: ['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'],
      listable: true,
      address: ({ name, identifier }) => tableObject({ table: name, key: identifier }),
    },
  ],
})
