import { defineDestination } from '@tributary/connector-kit'
import { warehouseParts } from '../../wire/warehouse/definition.ts'
import { warehouseSteps } from '../../wire/warehouse/guide.ts'
import { withSession } from './session.ts'
import { batchingOf, check, isServerless, minutesOf, type RedshiftSettings, settings } from './settings.ts'
import { testConnection } from './test-connection.ts'

const grants = `CREATE USER tributary PASSWORD 'Choose-1-password';
CREATE SCHEMA tributary AUTHORIZATION tributary;`

const policy = `{
  "Version": "2012-10-17",
  "Statement": [{
    "Effect": "Allow",
    "Action": ["s3:PutObject", "s3:GetObject", "s3:DeleteObject"],
    "Resource": "arn:aws:s3:::your-bucket/tributary/*"
  }]
}`

const parts = warehouseParts<RedshiftSettings>({
  withSession,
  address: ({ user, host, port, database, schema }) => `${user}@${host}:${port}/${database}, schema ${schema}`,
  billed: isServerless,
  types: [
    'character varying(65535)',
    'numeric(38,10)',
    'double precision',
    'bigint',
    'boolean',
    'timestamp with time zone',
    'date',
    'super',
  ],
})

/** Loads events to tables of an Amazon Redshift database, provisioned or serverless. */
export const redshift = defineDestination({
  slug: 'redshift',
  title: 'Amazon Redshift',
  description: 'Loads events to tables in your data warehouse, one table per event, with a column for each property.',
  docs: {
    url: 'https://docs.aws.amazon.com/redshift/latest/dg/r_GRANT.html',
    steps: [
      {
        title: 'Create a user and its schema',
        text: 'Run this as a database administrator. The user owns the schema and its tables, and needs no privileges on others. To let analysts read the tables, grant them `USAGE` on the schema and `SELECT` on its tables as the user `tributary`.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Allow network access',
        text: 'Copy the endpoint of the cluster or the workgroup, without the port and the database behind it, into **Host**. The cluster must be publicly accessible, or your Tributary operator must allow its network with `TRIBUTARY_EGRESS_ALLOW`. Allow connections from Tributary at port 5439 in the security group. Leave **Encryption** at TLS: the certificates of Amazon are accepted without a certificate of your own.',
      },
      {
        title: 'Optional: stage by COPY',
        text: 'Without a bucket, events are staged by `INSERT`, which suits some thousand events per minute. With a bucket, they are staged by `COPY`, which suits more. Create an IAM user with this policy, and enter its access key. Give a role with `s3:GetObject` to the cluster, and enter its ARN. Without a role, `COPY` has the access key, which Redshift hides in its logs. Each object is deleted when it has been copied; a lifecycle rule of one day removes those of interrupted loads.',
        code: policy,
        language: 'json',
      },
      ...warehouseSteps({
        types:
          '`VARCHAR(65535)`, `DECIMAL(38, 10)`, `BOOLEAN`, `TIMESTAMPTZ`, and `SUPER` for lists and objects. A text of more than 65,535 bytes, which only a mapping can make, is cut and goes to `extra_properties`',
        users: '`users` and `accounts` are tables.',
        tested:
          'Tested with PostgreSQL behind a stand-in that follows the documentation of Redshift and the source code of its drivers, and with a bucket of our own. It has not met the real service yet.',
      }),
      {
        title: 'Names and limits',
        text: 'A table has at most 1,590 columns; further properties go to `extra_properties`. A property with the name of a system column (`oid`, `ctid`, `xmin`, `tableoid`) gets an underscore at its end. `extra_properties` has the type `SUPER`: query it with `extra_properties."name"`.',
      },
    ],
  },
  settings,
  check,
  testConnection,
  ...parts,
  batching: batchingOf,
  warehouse: { ...parts.warehouse, everyMinutes: minutesOf },
})
