import { defineSettings, type OAuth2Client, type SettingsOf, setting } from '@tributary/connector-kit'
import { googleClient, googleClientSettings } from '../../wire/google/oauth2.ts'
import { spreadsheetProblem } from '../../wire/google/spreadsheet.ts'

export const settings = defineSettings({
  spreadsheet: setting.text({
    label: 'Spreadsheet',
    help: 'Its URL, or the ID in it.',
    required: true,
    maxLength: 500,
  }),
  ...googleClientSettings,
})

export type GoogleSheetsSettings = SettingsOf<typeof settings>

/** Checks rules that span several settings. */
export const check = ({ spreadsheet }: Partial<GoogleSheetsSettings>): Record<string, string> => {
  const problem = spreadsheetProblem(spreadsheet)
  return problem === undefined ? {} : { spreadsheet: problem }
}

/** The origin of all requests with a token. */
export const apiOrigin = 'https://sheets.googleapis.com'

export const oauth2 = (given: Partial<GoogleSheetsSettings>): OAuth2Client =>
  googleClient(given, { scope: 'https://www.googleapis.com/auth/spreadsheets', origin: apiOrigin })
