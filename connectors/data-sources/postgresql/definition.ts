import { defineDataSource } from '@tributary/connector-kit'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const grants = `CREATE USER tributary WITH PASSWORD 'choose one';
GRANT CONNECT ON DATABASE your_database TO tributary;
ALTER USER tributary SET default_transaction_read_only = on;

GRANT USAGE ON SCHEMA public TO tributary;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO tributary;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO tributary;`

/** Reads tables and queries of a PostgreSQL database. */
export const postgresql = defineDataSource({
  slug: 'postgresql',
  title: 'PostgreSQL',
  description: 'Reads tables and queries from your database. Nothing is ever written to it.',
  docs: {
    url: 'https://www.postgresql.org/docs/current/sql-grant.html',
    steps: [
      {
        title: 'Create a user that can only read',
        text: 'Run this as a database administrator. Repeat the last three lines for each schema you want to read. `ALTER DEFAULT PRIVILEGES` covers tables that the same administrator creates later.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Allow connections from Tributary in your firewall and in `pg_hba.conf`, preferably encrypted (`hostssl`). To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`. If you use your own certificate authority, paste its certificate into the form. Without TLS, choose **None** for encryption, and only on a network you trust.',
      },
      {
        title: 'What is read',
        text: 'Each connection is read-only, each query runs in a read-only transaction with a time limit, and only one statement is accepted at a time. To keep load off your main server, connect to a replica.',
      },
    ],
  },
  settings,
  check,
  open: openSession,
})
