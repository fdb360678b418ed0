import { defineDataSource } from '@tributary/connector-kit'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const google = { api: 'https://sheets.googleapis.com', tokenUrl: 'https://oauth2.googleapis.com/token' }

/** Reads a sheet of a spreadsheet that is shared with a service account, always in its current version. */
export const googleSheets = defineDataSource({
  slug: 'google-sheets',
  title: 'Google Sheets',
  description: 'Reads the rows of a sheet of a spreadsheet, as it is at each run.',
  file: true,
  docs: {
    url: 'https://developers.google.com/identity/protocols/oauth2/service-account',
    steps: [
      {
        title: 'Create a service account',
        text: 'In Google Cloud, enable the **Google Sheets API** for a project, create a service account under **IAM & Admin**, and create a JSON key for it. It needs no roles. Paste what is in the key file into the settings.',
      },
      {
        title: 'Share the spreadsheet',
        text: 'Share the spreadsheet with the email address of the service account, as a **Viewer**. It can read what is shared with it, and change nothing.',
        code: 'tributary@your-project.iam.gserviceaccount.com',
        language: 'text',
      },
      {
        title: 'Name the columns',
        text: 'The first row of the sheet has the names of the columns. Columns without a name and empty rows are not read. An empty cell is null.',
      },
      {
        title: 'What is read',
        text: 'Values are read as they are, not as they are shown: a number keeps its digits, a formula is its result, and only dates and times are as shown. All rows of a run are of one moment.',
      },
    ],
  },
  settings,
  check,
  open: (context) => {
    const { scratch } = context
    if (scratch === undefined) throw new Error('There is no place for the sheet')
    return Promise.resolve(openSession(context, scratch, google))
  },
})
