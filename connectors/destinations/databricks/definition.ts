import { defineDestination } from '@tributary/connector-kit'
import { workspaceOrigin } from '../../wire/databricks/access.ts'
import { warehouseParts } from '../../wire/warehouse/definition.ts'
import { warehouseSteps } from '../../wire/warehouse/guide.ts'
import { type OriginOf, withSession } from './session.ts'
import { check, type DatabricksSettings, settings } from './settings.ts'
import { testConnection } from './test-connection.ts'

const grants = `CREATE SCHEMA IF NOT EXISTS your_catalog.tributary;
GRANT USE CATALOG ON CATALOG your_catalog TO \`application-id\`;
GRANT USE SCHEMA, CREATE TABLE, CREATE VOLUME ON SCHEMA your_catalog.tributary TO \`application-id\`;`

/** Creates the definition for workspaces whose origin is found by their host. */
export const databricksAt = (originOf: OriginOf) =>
  defineDestination({
    slug: 'databricks',
    title: 'Databricks',
    description: 'Loads events to tables of Unity Catalog, one table per event, with a column for each property.',
    docs: {
      url: 'https://docs.databricks.com/aws/en/data-governance/unity-catalog/manage-privileges/privileges',
      steps: [
        {
          title: 'Create a service principal',
          text: 'In **Settings → Identity and access → Service principals**, add a service principal, and generate an OAuth secret for it. Copy the client ID and the secret into the form. A personal access token also works, but it has the rights of its owner, and it ends.',
        },
        {
          title: 'Create a schema, and grant what is needed',
          text: 'Run this as the owner of the catalog, with the client ID of the service principal. It owns the tables that it creates, and the volume `tributary_files`, in which a batch is a file until it is in the stage.',
          code: grants,
          language: 'sql',
        },
        {
          title: 'Let it use a SQL warehouse',
          text: 'Open the permissions of a SQL warehouse, and give the service principal **Can use**. Copy **Server hostname** and **HTTP path** from its connection details into the form. Running time is billed: choose a short auto stop, a serverless warehouse, and how often events are loaded. Each load also starts the warehouse once to stage events, at least every hour.',
        },
        ...warehouseSteps({
          types: '`STRING`, `DECIMAL(38,10)`, `BOOLEAN`, `TIMESTAMP`, and `STRING` with JSON for lists and objects',
          users: '`users` and `accounts` are updated with `MERGE`.',
          tested:
            'Tested against a stand-in for the APIs of Databricks that runs the statements on another engine, with translations. The service itself was never met: its grammar, its functions, its grants, conflicts of concurrent statements, and the time of a start.',
        }).map((step) =>
          step.title === 'Delete users'
            ? {
                ...step,
                text: `${step.text} Delta Lake keeps earlier versions of the tables until \`VACUUM\` removes them, after 7 days by default. Predictive optimization runs it.`,
              }
            : step,
        ),
      ],
    },
    settings,
    check,
    testConnection: (context) => testConnection(context, originOf),
    ...warehouseParts<DatabricksSettings>({
      withSession: (context, work) => withSession(context, originOf, work),
      address: ({ host, catalog, schema }) => `${host}/${catalog}.${schema}`,
      billed: () => true,
      types: ['string', 'decimal(38,10)', 'double', 'bigint', 'boolean', 'timestamp', 'date'],
    }),
  })

/** Loads events to tables of Unity Catalog, over a SQL warehouse. */
export const databricks = databricksAt(workspaceOrigin)
