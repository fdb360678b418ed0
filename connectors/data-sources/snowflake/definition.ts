import { defineDataSource } from '@tributary/connector-kit'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const keys = `openssl genrsa 2048 | openssl pkcs8 -topk8 -inform PEM -nocrypt -out rsa_key.p8
openssl rsa -in rsa_key.p8 -pubout -out rsa_key.pub`

const grants = `CREATE ROLE TRIBUTARY_READER;
GRANT USAGE ON WAREHOUSE YOUR_WAREHOUSE TO ROLE TRIBUTARY_READER;
GRANT USAGE ON DATABASE YOUR_DATABASE TO ROLE TRIBUTARY_READER;

GRANT USAGE ON SCHEMA YOUR_DATABASE.YOUR_SCHEMA TO ROLE TRIBUTARY_READER;
GRANT SELECT ON ALL TABLES IN SCHEMA YOUR_DATABASE.YOUR_SCHEMA TO ROLE TRIBUTARY_READER;
GRANT SELECT ON ALL VIEWS IN SCHEMA YOUR_DATABASE.YOUR_SCHEMA TO ROLE TRIBUTARY_READER;
GRANT SELECT ON FUTURE TABLES IN SCHEMA YOUR_DATABASE.YOUR_SCHEMA TO ROLE TRIBUTARY_READER;
GRANT SELECT ON FUTURE VIEWS IN SCHEMA YOUR_DATABASE.YOUR_SCHEMA TO ROLE TRIBUTARY_READER;

CREATE USER TRIBUTARY TYPE = SERVICE DEFAULT_ROLE = TRIBUTARY_READER
  RSA_PUBLIC_KEY = 'the lines between BEGIN and END of rsa_key.pub';
GRANT ROLE TRIBUTARY_READER TO USER TRIBUTARY;`

/** Reads tables and queries of a Snowflake database, over the SQL API. */
export const snowflake = defineDataSource({
  slug: 'snowflake',
  title: 'Snowflake',
  description: 'Reads tables and queries from your warehouse. Nothing is ever written to it.',
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
        title: 'Create a role and a user that can only read',
        text: 'Run this as `ACCOUNTADMIN`. Repeat the five lines of a schema for each schema you want to read. Grant the role nothing else: it is what keeps queries from changing anything.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Find the account identifier',
        text: 'It is the part of your account’s URL before `.snowflakecomputing.com`, such as `myorg-account123`. With a network policy, allow the addresses of Tributary. Names of roles, warehouses, and databases are read in upper case, as in SQL. Put a name in double quotes if it has lower case letters.',
      },
      {
        title: 'What is read',
        text: 'Each query is one `SELECT` in parentheses, with a time limit. Snowflake refuses a second statement. Leave out the operator `->>`, and functions that begin with `SYSTEM$`. A query is checked with `LIMIT 0`, which reads no rows. Snowflake does not enforce primary keys: check the key of a model.',
      },
      {
        title: 'Keep the cost low',
        text: 'A query starts the warehouse, which Snowflake bills by the second, for at least a minute. Use a small warehouse with a short `AUTO_SUSPEND`, and enter the maximum seconds per query. A query whose answer is no longer needed is canceled.',
      },
      {
        title: 'How values are read',
        text: 'Numbers keep every digit. Times are read in UTC. `VARIANT`, `OBJECT`, `ARRAY`, `MAP`, and `VECTOR` are read as JSON, `GEOGRAPHY` and `GEOMETRY` as GeoJSON. `BINARY` is read as hexadecimal digits after `\\x`. Types have the names of PostgreSQL. Tested with servers that speak the documented SQL API, and not with the service of Snowflake itself.',
      },
    ],
  },
  settings,
  check,
  open: (context) => openSession(context),
})
