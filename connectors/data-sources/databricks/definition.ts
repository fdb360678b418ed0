import { defineDataSource } from '@tributary/connector-kit'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const grants = `GRANT USE CATALOG ON CATALOG your_catalog TO \`application-id\`;
GRANT USE SCHEMA ON SCHEMA your_catalog.your_schema TO \`application-id\`;
GRANT SELECT ON SCHEMA your_catalog.your_schema TO \`application-id\`;`

/** Reads tables and queries of Unity Catalog, over the SQL Statement Execution API of a SQL warehouse. */
export const databricks = defineDataSource({
  slug: 'databricks',
  title: 'Databricks',
  description: 'Reads tables and queries from a SQL warehouse. Nothing is ever written to it.',
  docs: {
    url: 'https://docs.databricks.com/aws/en/data-governance/unity-catalog/manage-privileges/privileges',
    steps: [
      {
        title: 'Create a service principal',
        text: 'In **Settings → Identity and access → Service principals**, add a service principal, and generate an OAuth secret for it. Copy the client ID and the secret into the form. A personal access token also works, but it has the rights of its owner, and it ends.',
      },
      {
        title: 'Grant what is read',
        text: 'Run this as the owner of the catalog, with the client ID of the service principal. Repeat the last two lines for each schema you want to read. Grant nothing else: these grants are what keeps an account from writing.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'Let it use a SQL warehouse',
        text: 'Open the permissions of a SQL warehouse, and give the service principal **Can use**. Copy **Server hostname** and **HTTP path** from its connection details into the form. A serverless warehouse starts in seconds; others take minutes, and a first query can end before they have started. Running time is billed: set **Maximum seconds per query** in the form, a short auto stop, and `STATEMENT_TIMEOUT` for the warehouse.',
      },
      {
        title: 'What is read',
        text: 'Only one `SELECT` is accepted at a time. Databricks describes it before it runs, and runs it inside parentheses, where its grammar allows no statement that writes. Functions that reach out of the warehouse, such as `http_request`, `ai_query`, and `secret`, are refused. A result can have at most 25 MB, which is the limit of Databricks for results in its answers: Tributary does not follow links to other storage. For larger tables, select fewer columns, or use a cursor. Only tables of Unity Catalog are listed.',
      },
      {
        title: 'How values are read',
        text: 'A `TIMESTAMP` is read in UTC, and a `TIMESTAMP_NTZ` as it is. Numbers and decimals keep every digit. `ARRAY`, `MAP`, `STRUCT`, and `VARIANT` are read as JSON, `BINARY` as hexadecimal digits after `\\x`. Databricks does not enforce primary keys: check the key of a model. This data source is tested against a stand-in for the API with another engine, and not against the service itself.',
      },
    ],
  },
  settings,
  check,
  open: (context) => openSession(context),
})
