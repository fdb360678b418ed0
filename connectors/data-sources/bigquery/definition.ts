import { defineDataSource } from '@tributary/connector-kit'
import { google } from '../../wire/bigquery/google.ts'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const grants = `GRANT \`roles/bigquery.jobUser\` ON PROJECT \`your-project\`
TO "serviceAccount:tributary@your-project.iam.gserviceaccount.com";

GRANT \`roles/bigquery.dataViewer\` ON SCHEMA \`your-project\`.your_dataset
TO "serviceAccount:tributary@your-project.iam.gserviceaccount.com";`

/** Reads tables and queries of BigQuery, over its REST API. */
export const bigquery = defineDataSource({
  slug: 'bigquery',
  title: 'BigQuery',
  description: 'Reads tables and queries of Google BigQuery. Nothing is ever written to it.',
  docs: {
    url: 'https://docs.cloud.google.com/bigquery/docs/access-control',
    steps: [
      {
        title: 'Create a service account',
        text: 'In Google Cloud, enable the **BigQuery API** for your project, create a service account under **IAM & Admin**, and create a JSON key for it. Paste what is in the key file into the settings. Tokens are only requested from Google itself, whatever addresses the file has.',
      },
      {
        title: 'Let it run queries and read',
        text: 'Run this in BigQuery as an administrator of the project. Repeat the second statement for each dataset you want to read. These two roles are all it needs. Tables that read from Google Sheets or from files in Cloud Storage need more, and cannot be read.',
        code: grants,
        language: 'sql',
      },
      {
        title: 'What a query costs',
        text: 'BigQuery bills the bytes that a query reads, also for a preview of a few rows. Before each query, a dry run that costs nothing tells how many these are. A query above **Maximum GB per query** is refused, and the same limit is sent with the query. Name only the columns you need, filter by the partition, and let a sync read [new and changed rows](/docs/syncs#read-only-new-and-changed-rows). Lists of tables cost nothing.',
      },
      {
        title: 'What is read',
        text: 'Each query must be one `SELECT`. The dry run tells the kind of the statement, and anything else is refused. Then the query runs with a token that Google accepts for reading only. A query that takes too long is canceled. Tables of other projects can be read by their full name, if the service account has the role there. A primary key of BigQuery is not enforced: check the key of a model.',
      },
      {
        title: 'How values are read',
        text: '`TIMESTAMP` is read in UTC, and `DATETIME` has no time zone and counts as UTC. `INT64`, `NUMERIC`, and `BIGNUMERIC` keep every digit. `ARRAY`, `STRUCT`, and `JSON` are read as JSON, and `BYTES` as hexadecimal digits after `\\x`. A row can have about 20 MB. Tested against a stand-in that follows the documentation of Google, not yet against the service.',
      },
    ],
  },
  settings,
  check,
  open: async (context) => openSession(context, google),
})
