import { defineDestination } from '@tributary/connector-kit'
import { type Google, google } from '../../wire/bigquery/google.ts'
import { warehouseParts } from '../../wire/warehouse/definition.ts'
import { warehouseSteps } from '../../wire/warehouse/guide.ts'
import { createWithSession } from './session.ts'
import { type BigQuerySettings, check, settings } from './settings.ts'
import { createTestConnection } from './test-connection.ts'

const grants = `CREATE SCHEMA \`your-project\`.tributary OPTIONS (location = 'EU');

GRANT \`roles/bigquery.jobUser\` ON PROJECT \`your-project\`
TO "serviceAccount:tributary@your-project.iam.gserviceaccount.com";

GRANT \`roles/bigquery.dataEditor\` ON SCHEMA \`your-project\`.tributary
TO "serviceAccount:tributary@your-project.iam.gserviceaccount.com";`

/** Defines the destination with the addresses of Google, or of a stand-in. */
export const defineBigQuery = (addresses: Google) => {
  const withSession = createWithSession(addresses)
  return defineDestination({
    slug: 'bigquery',
    title: 'BigQuery',
    description: 'Loads events to tables in your dataset, one table per event, with a column for each property.',
    docs: {
      url: 'https://docs.cloud.google.com/bigquery/docs/access-control',
      steps: [
        {
          title: 'Create a service account',
          text: 'In Google Cloud, enable the **BigQuery API** for your project, create a service account under **IAM & Admin**, and create a JSON key for it. Paste what is in the key file into the settings. Tokens are only requested from Google itself, whatever addresses the file has.',
        },
        {
          title: 'Create a dataset, and let it write there',
          text: 'Run this in BigQuery as an administrator of the project, with the location of your choice. The account needs no other roles, and none on other datasets.',
          code: grants,
          language: 'sql',
        },
        ...warehouseSteps({
          types: '`STRING`, `NUMERIC`, `BOOL`, `TIMESTAMP`, and `STRING` with JSON for lists and objects',
          users: 'Tables of events are partitioned by the day of receipt, in UTC.',
          tested:
            'Tested against a stand-in that follows the documentation of Google and runs the statements in another database, not yet against the service.',
        }),
        {
          title: 'What it costs',
          text: 'Writing to the stage is free. A load runs about two queries for each table with new events, of which BigQuery bills at least 10 MB for each table that they read. To find duplicates, they read the IDs of the last 14 days. So a load every hour costs a twelfth of one every 5 minutes. Nothing runs while nothing is staged. The row in `tributary_lock` keeps two loads from running at once: leave it alone.',
        },
      ],
    },
    settings,
    check,
    testConnection: createTestConnection(withSession),
    ...warehouseParts<BigQuerySettings>({
      withSession,
      address: ({ project, dataset }) => `${project}.${dataset}`,
      // Queries are billed. Also, a table accepts 1,500 loads a day, which is about one a minute.
      billed: () => true,
      types: ['STRING', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64', 'INT64', 'BOOL', 'TIMESTAMP', 'DATETIME', 'DATE'],
    }),
  })
}

/** Loads events to tables of a BigQuery dataset. */
export const bigquery = defineBigQuery(google)
