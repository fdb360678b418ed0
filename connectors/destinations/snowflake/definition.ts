import { type DeliverContext, defineDestination, type OutgoingRow, parseExactJson } from '@tributary/connector-kit'
import { tableObject, tableOf } from '../../wire/access/table-object.ts'
import { warehouseParts } from '../../wire/warehouse/definition.ts'
import type { WarehouseSession } from '../../wire/warehouse/dialect.ts'
import { warehouseSteps } from '../../wire/warehouse/guide.ts'
import { lockTable, plainName } from './dialect.ts'
import { withSession } from './session.ts'
import { check, type SnowflakeSettings, settings } from './settings.ts'
import { testConnection } from './test-connection.ts'

const keys = `openssl genrsa 2048 | openssl pkcs8 -topk8 -inform PEM -nocrypt -out rsa_key.p8
openssl rsa -in rsa_key.p8 -pubout -out rsa_key.pub`

const grants = `CREATE WAREHOUSE TRIBUTARY WAREHOUSE_SIZE = XSMALL AUTO_SUSPEND = 60 INITIALLY_SUSPENDED = TRUE;
CREATE DATABASE ANALYTICS;
CREATE SCHEMA ANALYTICS.TRIBUTARY;

CREATE ROLE TRIBUTARY_LOADER;
GRANT USAGE ON WAREHOUSE TRIBUTARY TO ROLE TRIBUTARY_LOADER;
GRANT USAGE ON DATABASE ANALYTICS TO ROLE TRIBUTARY_LOADER;
GRANT USAGE, CREATE TABLE ON SCHEMA ANALYTICS.TRIBUTARY TO ROLE TRIBUTARY_LOADER;

CREATE USER TRIBUTARY TYPE = SERVICE DEFAULT_ROLE = TRIBUTARY_LOADER
  RSA_PUBLIC_KEY = 'the lines between BEGIN and END of rsa_key.pub';
GRANT ROLE TRIBUTARY_LOADER TO USER TRIBUTARY;

-- For each role of analysts:
GRANT USAGE ON DATABASE ANALYTICS TO ROLE YOUR_ROLE;
GRANT USAGE ON SCHEMA ANALYTICS.TRIBUTARY TO ROLE YOUR_ROLE;
GRANT SELECT ON FUTURE TABLES IN SCHEMA ANALYTICS.TRIBUTARY TO ROLE YOUR_ROLE;`

/** Returns the object of rows with its names without regard to case, as Snowflake reads them. */
const plainObject = (object: string): string => {
  const keyed = tableOf(object)
  return keyed === undefined ? object : tableObject({ table: plainName(keyed.table), key: plainName(keyed.key) })
}

const plainRow = (row: OutgoingRow): OutgoingRow => {
  if (tableOf(row.object) === undefined) return row
  const values = Object.entries(parseExactJson(row.json) as Record<string, unknown>)
  const json = JSON.stringify(Object.fromEntries(values.map(([name, value]) => [plainName(name), value])))
  return { ...row, object: plainObject(row.object), json }
}

/** Defines the destination. `originOf` replaces the address of the account in tests. */
export const defineSnowflake = (originOf: () => string | undefined = () => undefined) => {
  const using = <T>(
    context: DeliverContext<SnowflakeSettings>,
    work: (session: WarehouseSession) => Promise<T>,
  ): Promise<T> => withSession(context, work, originOf())
  const parts = warehouseParts<SnowflakeSettings>({
    withSession: using,
    address: ({ account, database, schema }) => `${account}/${database}.${schema}`,
    billed: () => true,
    types: ['VARCHAR', 'NUMBER(38,10)', 'NUMBER(38,0)', 'FLOAT', 'BOOLEAN', 'TIMESTAMP_TZ', 'DATE', 'VARIANT'],
  })
  return defineDestination({
    slug: 'snowflake',
    title: 'Snowflake',
    description: 'Loads events to tables in your warehouse, one table per event, with a column for each property.',
    docs: {
      url: 'https://docs.snowflake.com/en/user-guide/key-pair-auth',
      steps: [
        {
          title: 'Create a key pair',
          text: 'Run this on your computer. Paste what is in `rsa_key.p8` into the form. The key must not have a passphrase.',
          code: keys,
          language: 'bash',
        },
        {
          title: 'Create a warehouse, a schema, a role, and a user',
          text: 'Run this as `ACCOUNTADMIN`. The role needs nothing else: it owns the tables that it creates.',
          code: grants,
          language: 'sql',
        },
        {
          title: 'Find the account identifier',
          text: 'It is the part of your account’s URL before `.snowflakecomputing.com`, such as `myorg-account123`. With a network policy, allow the addresses of Tributary. Names of roles, warehouses, databases, and schemas are read in upper case, as in SQL. Put a name in double quotes if it has lower case letters.',
        },
        {
          title: 'Keep the cost low',
          text: 'Snowflake bills the time in which the warehouse runs, at least a minute each time it starts. Staging and loading start it. With a load each hour, both happen about once an hour. The stage keeps no copies of deleted rows.',
        },
        ...warehouseSteps({
          types: '`VARCHAR`, `NUMBER(38,10)`, `BOOLEAN`, `TIMESTAMP_TZ`, and `VARIANT` for lists and objects',
          users:
            'Names are in upper case, so that queries need no quotes, except for reserved words and other letters than A to Z. The table `TRIBUTARY_LOCK` keeps two loads apart.',
          tested:
            'Tested with servers that speak the documented SQL API and run the statements on DuckDB, and not with the service of Snowflake itself. Its locks, its limits, and its bills were never met.',
        }),
      ],
    },
    settings,
    check,
    testConnection: (context) => testConnection(context, (work) => using(context, work)),
    ...parts,
    deliverRows: (rows, context) => parts.deliverRows(rows.map(plainRow), context),
    listKeys: (context, object, onKeys) => parts.listKeys(context, plainObject(object), onKeys),
    rowObjects: parts.rowObjects.map(({ reserved, ...object }) => ({
      ...object,
      reserved: [...reserved, lockTable].flatMap((name) => [name, name.toUpperCase()]),
    })),
  })
}

/** Loads events to tables of a Snowflake schema, over the SQL API. */
export const snowflake = defineSnowflake()
