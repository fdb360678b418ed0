import { defineDataSource } from '@tributary/connector-kit'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const grants = `CREATE USER tributary PASSWORD 'Choose-1-password';

GRANT USAGE ON SCHEMA public TO tributary;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO tributary;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO tributary;

-- Only for external schemas (Redshift Spectrum) and for data shares:
GRANT USAGE ON SCHEMA your_external_schema TO tributary;`

/** Reads tables and queries of an Amazon Redshift database, provisioned or serverless. */
export const redshift = defineDataSource({
  slug: 'redshift',
  title: 'Amazon Redshift',
  description: 'Reads tables and queries from your data warehouse. Nothing is ever written to it.',
  docs: {
    url: 'https://docs.aws.amazon.com/redshift/latest/dg/r_GRANT.html',
    steps: [
      {
        title: 'Create a user that can only read',
        text: 'Run this as a database administrator. Repeat the three lines of a schema for each schema you want to read. `ALTER DEFAULT PRIVILEGES` covers tables that the same administrator creates later. An external schema needs only `USAGE`. A late-binding view also needs the grants for the tables behind it.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Copy the endpoint of the cluster or the workgroup, without the port and the database behind it, into **Host**. The cluster must be publicly accessible, or your Tributary operator must allow its network with `TRIBUTARY_EGRESS_ALLOW`. Allow connections from Tributary at port 5439 in the security group. Leave **Encryption** at TLS: the certificates of Amazon are accepted without a certificate of your own.',
      },
      {
        title: 'What is read',
        text: 'Each query runs in a transaction with `READ ONLY`, as a subquery of a cursor, so that Redshift accepts only one `SELECT`. It ends after a time limit, which includes its time in a queue. Redshift computes all rows of a cursor on the leader node before the first one is read, and limits their size by the type of node: select only the columns you need. The size of tables is not listed, because only administrators can read it. Redshift does not enforce primary keys: check the key of a model.',
      },
      {
        title: 'How values are read',
        text: 'Times are read in UTC, and numbers keep every digit. `SUPER` is read as JSON. `VARBYTE` and `GEOMETRY` are read as hexadecimal digits. Names in double quotation marks keep their case, also where your cluster changes them to lower case. Nested values of an external table are read as JSON texts if you choose the table. In a query, take them apart with the path notation of Redshift.',
      },
      {
        title: 'What was tested',
        text: 'This connection was tested with PostgreSQL behind a stand-in that follows the documentation of Redshift and the source code of its drivers. It has not met the real service yet.',
      },
    ],
  },
  settings,
  check,
  open: openSession,
})
