import type { DestinationDefinition } from '@tributary/connector-kit'
import { deliver } from './deliver.ts'
import { check, fields } from './fields.ts'
import { logo } from './logo.ts'
import { testConnection, verifySettings } from './test-connection.ts'

const grants = `CREATE USER tributary WITH PASSWORD 'choose one';
GRANT CONNECT ON DATABASE your_database TO tributary;
CREATE SCHEMA tributary AUTHORIZATION tributary;

GRANT USAGE ON SCHEMA public TO tributary;
GRANT SELECT, INSERT, UPDATE ON public.your_table TO tributary;`

/** Writes events to tables of a PostgreSQL database, upserts rows, or runs a statement of the user's. */
export const postgresql: DestinationDefinition = {
  slug: 'postgresql',
  title: 'PostgreSQL',
  description: 'Writes events to tables of your database: one for each event, with columns that follow its properties.',
  logo,
  docs: {
    url: 'https://www.postgresql.org/docs/current/sql-grant.html',
    steps: [
      {
        title: 'Make a user and a schema',
        text: 'Run as an administrator of the database. The user owns the schema and needs nothing else there. The last two lines are for **Run statement** on tables of your own.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Let the server be reached',
        text: 'A server inside your network is reached only when whoever runs Tributary allows that network with `TRIBUTARY_EGRESS_ALLOW`. Allow connections from this product in the firewall and in `pg_hba.conf`, encrypted ones at best (`hostssl`). With a certificate of your own authority, paste the certificate of the authority into the form; without TLS, choose **None** for encryption, in a network you trust.',
      },
      {
        title: 'What is written',
        text: 'Track events go to `tracks` and to a table of their own (Order Completed to `order_completed`), with a column for each property; identify to `identifies` and, one row a user, to `users`, where the newest values win; page, screen, group and alias to `pages`, `screens`, `groups` and `aliases`. Columns are added by themselves: `text`, `numeric`, `boolean`, `timestamptz`, and `jsonb` for lists and objects. `id` is the message id: an event that comes twice is one row.',
      },
      {
        title: 'What does not fit',
        text: 'A value that does not fit the type its column has, a property beyond 400 columns of a table, and properties of events beyond 1,000 tables are kept by their name in `extra_properties` (`jsonb`). Nothing is left out. A mapping with fields writes those in place of the event’s own properties.',
      },
      {
        title: 'Upsert rows, or run a statement',
        text: 'On the page of its mappings, choose **Upsert row** to keep one row for each key in a table of the schema, each target being a column; it is made when it is not there, and one that is there needs a primary key or a unique index on the key column. Or **Run statement**: it may run more than once for an event when a connection breaks, so let it be one that does no harm the second time (`INSERT … ON CONFLICT`).',
      },
    ],
  },
  kinds: ['Event Streams', 'ETL'],
  auth: 'key',
  fields,
  check,
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'A row for each event in the tables of its type and its name; one that comes twice is one row.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [{ event: 'messageId' }],
      actions: ['write_event'],
    },
    {
      name: 'users',
      title: 'Users',
      description: 'A row for each user in `users`, with the newest of the traits that identify events bring.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ event: 'userId' }],
      actions: ['write_event'],
    },
    {
      name: 'rows',
      title: 'Rows of a table',
      description: 'A row for each key, with the columns you map.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ setting: 'row_key' }],
      actions: ['upsert_row'],
    },
    {
      name: 'statement_results',
      title: 'What your statement writes',
      description: 'Your own SQL decides; it runs for each event.',
      syncModes: [],
      identifiers: [],
      actions: ['run_statement'],
    },
  ],
  actions: [
    {
      name: 'write_event',
      title: 'Write event',
      description: 'Writes the event to the tables of its type and name.',
      targets: [],
      customTargets: true,
      wholeEvent: true,
      eventTypes: [],
    },
    {
      name: 'upsert_row',
      title: 'Upsert row',
      description: 'Writes a row with the mapped columns, over the one with the same key.',
      targets: [],
      customTargets: true,
      wholeEvent: false,
      eventTypes: [],
    },
    {
      name: 'run_statement',
      title: 'Run statement',
      description: 'Runs the custom SQL statement with the event as parameters.',
      targets: [],
      customTargets: true,
      wholeEvent: true,
      eventTypes: [],
    },
  ],
  presets: [{ action: 'write_event', fields: {} }],
  batching: () => ({ maxEvents: 500, maxBytes: 2 * 1024 * 1024, maxWaitMs: 2000 }),
  concurrency: 1,
  // The last write to a user's row counts, so writes keep their order.
  ordered: () => true,
  testConnection,
  verifySettings,
  deliver,
}
