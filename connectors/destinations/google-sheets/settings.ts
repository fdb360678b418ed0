import { defineSettings, type OAuth2Client, type SettingsOf, setting } from '@tributary/connector-kit'
import { googleClient, googleClientSettings } from '../../wire/google/oauth2.ts'

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

/**
 * The ID of the spreadsheet that people entered, whole or as its URL (developers.google.com/workspace/sheets/api/guides/concepts:
 * letters, numbers, hyphens, and underscores); undefined when it is neither.
 */
export const spreadsheetId = (entered: string): string | undefined =>
  /^(?:https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/)?([\w-]{20,200})(?:[/?#].*)?$/.exec(
    entered.trim(),
  )?.[1]

/** What spans the rules of each setting. */
export const check = ({ spreadsheet }: Partial<GoogleSheetsSettings>): Record<string, string> =>
  spreadsheet === undefined || spreadsheetId(spreadsheet) !== undefined
    ? {}
    : { spreadsheet: 'Enter the URL of a spreadsheet, such as https://docs.google.com/spreadsheets/d/…' }

/** Where requests with a token go. */
export const apiOrigin = 'https://sheets.googleapis.com'

export const oauth2 = (given: Partial<GoogleSheetsSettings>): OAuth2Client =>
  googleClient(given, { scope: 'https://www.googleapis.com/auth/spreadsheets', origin: apiOrigin })
