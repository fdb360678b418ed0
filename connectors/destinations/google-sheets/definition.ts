import { defineDestination } from '@tributary/connector-kit'
import { writeRow } from './actions/write-row.ts'
import { deliver, deliverRows, describeRows, testConnection } from './deliver.ts'
import { check, oauth2, settings } from './settings.ts'
import { sheetObject } from './sheet-address.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const

/**
 * Limits: Google Sheets API, "Usage limits": 60 reads and 60 writes per minute and user, requests of at most 2 MB. A
 * batch takes three reads and a write. Rows of a sheet are addressed by position, so one batch is sent at a time.
 */
export const googleSheets = defineDestination({
  slug: 'google-sheets',
  title: 'Google Sheets',
  description: 'Keeps rows of a spreadsheet up to date, or adds a row for each event.',
  docs: {
    url: 'https://developers.google.com/workspace/sheets/api/guides/concepts',
    steps: [
      {
        title: 'Create an OAuth client',
        text: 'In Google Cloud, enable the **Google Sheets API** for a project, configure the consent screen, and create an OAuth client of the type **Web application**. As the redirect URI, enter the redirect URL that the destination shows. Copy the client ID and the client secret to the settings.',
        code: 'https://www.googleapis.com/auth/spreadsheets',
        language: 'text',
      },
      {
        title: 'Connect an account',
        text: 'Select **Connect** and sign in with an account that can edit the spreadsheet. While the consent screen is in testing, Google ends the grant after seven days: publish it, or make it internal.',
      },
      {
        title: 'Prepare the sheet',
        text: 'The first row of a sheet has the names of its columns. Map columns to these names. Columns that the sheet does not have are added at its right end, and a sheet that does not exist is created. Columns that are not mapped are never touched.',
      },
      {
        title: 'While a run sends',
        text: 'Rows are found by the value of the identifier. Do not sort, insert, or delete rows while a run sends: rows would be written to the wrong place. Values are written as they are: a text that begins with = does not become a formula.',
      },
      {
        title: 'Events',
        text: 'Track events become rows of the sheet Events. On the **Mappings** tab you choose the sheet and its columns.',
      },
    ],
  },
  settings,
  check,
  category: 'Chat and work',
  kinds: ['Event Streams', 'Reverse ETL'],
  auth: 'oauth2',
  oauth2,
  objects: [
    {
      name: 'rows',
      title: 'Rows of a sheet',
      description: 'One row per event, with the columns you map.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'message_id' }],
      actions: ['write_row'],
    },
  ],
  actions: [writeRow],
  presets: [
    {
      eventType: 'track',
      action: 'write_row',
      fields: {
        sheet: { type: 'CONSTANT', value: 'Events' },
        message_id: { type: 'VARIABLE', name: 'message_id' },
        time: { type: 'VARIABLE', name: 'timestamp' },
        event: field('event'),
        user_id: field('userId'),
        anonymous_id: field('anonymousId'),
        properties: field('properties'),
      },
    },
  ],
  batching: () => ({ maxEvents: 1000, maxBytes: 512 * 1024, maxWaitMs: 5000 }),
  rate: () => ({ requests: 15, perMs: 60_000 }),
  concurrency: 1,
  exclusive: true,
  testConnection,
  deliver,
  deliverRows,
  describeRows,
  rowObjects: [
    {
      name: 'sheet',
      title: 'Sheet',
      description: 'Name of a sheet (tab) of the spreadsheet. It is created if it does not exist.',
      syncModes: ['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'],
      address: ({ name, identifier }) => sheetObject({ title: name, identifier }),
    },
  ],
})
