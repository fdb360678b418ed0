import { defineDestination } from '@tributary/connector-kit'
import { tableObject } from '../../wire/access/table-object.ts'
import { writeEvent } from '../../wire/warehouse/write-event.ts'
import { runStatementAction } from './actions/run-statement.ts'
import { upsertRow } from './actions/upsert-row.ts'
import { deliver, deliverRows } from './deliver.ts'
import { keyForms } from './key-forms.ts'
import { listKeys } from './list-keys.ts'
import { prepareTable } from './prepare-table.ts'
import { check, settings } from './settings.ts'
import { testConnection, verifySettings } from './test-connection.ts'

const grants = `CREATE USER tributary WITH PASSWORD 'choose one';
GRANT CONNECT ON DATABASE your_database TO tributary;
CREATE SCHEMA tributary AUTHORIZATION tributary;

GRANT USAGE ON SCHEMA public TO tributary;
GRANT SELECT, INSERT, UPDATE ON public.your_table TO tributary;`

/** Writes events to tables of a PostgreSQL database, upserts rows, or runs the user's statement. */
export const postgresql = defineDestination({
  slug: 'postgresql',
  title: 'PostgreSQL',
  description: 'Writes events to tables in your database, one table per event, with a column for each property.',
  docs: {
    url: 'https://www.postgresql.org/docs/current/sql-grant.html',
    steps: [
      {
        title: 'Create a user and a schema',
        text: 'Run this as a database administrator. The user owns the schema and needs no other privileges there. The last two lines are only for **Run statement** on your own tables.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Allow connections from Tributary in your firewall and in `pg_hba.conf`, preferably encrypted (`hostssl`). To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`. If you use your own certificate authority, paste its certificate into the form. Without TLS, choose **None** for encryption, and only on a network you trust.',
      },
      {
        title: 'What is written',
        text: 'Track events go to `tracks` and to a table per event (Order Completed to `order_completed`), with a column for each property. Identify goes to `identifies` and to `users`, which has one row per user with the newest values. Page, screen, group, and alias go to `pages`, `screens`, `groups`, and `aliases`. Columns are added automatically: `text`, `numeric`, `boolean`, `timestamptz`, and `jsonb` for lists and objects. `id` is the message ID, so duplicates are stored once.',
      },
      {
        title: "Values that don't match",
        text: "Values that don't match their column's type, properties beyond 400 columns per table, and properties of events beyond 1,000 tables go to `extra_properties` (`jsonb`). Nothing is dropped. A mapping with fields writes those fields instead of the event’s properties.",
      },
      {
        title: 'Delete users',
        text: 'When a user is deleted in Tributary, rows with their user ID are deleted from the tables above, and so are rows without a user ID that have one of their anonymous IDs. Other tables of the schema, such as those of **Upsert row**, stay as they are: delete the user there yourself.',
      },
      {
        title: 'Upsert rows, or run a statement',
        text: "On the **Mappings** tab, choose **Upsert row** to keep one row per key, with a column for each target. The table is created if it doesn't exist; an existing table needs a primary key or unique index on the key column. Or choose **Run statement**. If a connection breaks, the statement can run more than once for an event, so make it safe to repeat (`INSERT … ON CONFLICT`).",
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
      name: 'events',
      title: 'Events',
      description: 'One row per event, in the tables for its type and name. Duplicates are stored once.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [{ event: 'messageId' }],
      actions: ['write_event'],
    },
    {
      name: 'users',
      title: 'Users',
      description: 'One row per user in `users`, with the latest traits from identify events.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ event: 'userId' }],
      actions: ['write_event'],
    },
    {
      name: 'rows',
      title: 'Rows of a table',
      description: 'One row per key, with the columns you map.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ setting: 'row_key' }],
      actions: ['upsert_row'],
    },
    {
      name: 'statement_results',
      title: 'Custom statement',
      description: 'Your SQL runs for each event.',
      syncModes: [],
      identifiers: [],
      actions: ['run_statement'],
    },
  ],
  actions: [writeEvent, upsertRow, runStatementAction],
  presets: [{ action: 'write_event', fields: {} }],
  batching: () => ({ maxEvents: 500, maxBytes: 2 * 1024 * 1024, maxWaitMs: 2000 }),
  concurrency: 1,
  // The last write to a user's row counts, so writes keep their order.
  ordered: () => true,
  testConnection,
  verifySettings,
  deliver,
  deliverRows,
  listKeys,
  keyForms,
  prepareRows: prepareTable,
  rowObjects: [
    {
      name: 'table',
      title: 'Table',
      description: 'One row per key in a table of the schema, which is created if it does not exist.',
      syncModes: ['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'],
      listable: true,
      address: ({ name, identifier }) => tableObject({ table: name, key: identifier }),
    },
  ],
  deletesUsers: true,
})
