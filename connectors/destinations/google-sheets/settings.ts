import { defineSettings, type OAuth2Client, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  spreadsheet: setting.text({
    label: 'Spreadsheet',
    help: 'Its URL, or the ID in it.',
    required: true,
    maxLength: 500,
  }),
  client_id: setting.text({
    label: 'Client ID',
    help: 'Of an OAuth client of the type web application in Google Cloud.',
    required: true,
  }),
  client_secret: setting.secret({
    label: 'Client secret',
    help: 'Of the same OAuth client. Stored encrypted.',
    required: true,
    // It goes to oauth2.googleapis.com, whatever the settings.
    sentTo: [],
  }),
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

/**
 * What the user has registered at Google (developers.google.com/identity/protocols/oauth2/web-server): a refresh token comes with
 * `access_type=offline`, and again only when consent is asked for.
 */
export const oauth2 = (given: Partial<GoogleSheetsSettings>): OAuth2Client => ({
  authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  tokensSentTo: [apiOrigin],
  clientId: given.client_id ?? '',
  clientSecret: given.client_secret ?? '',
  clientAuthentication: 'body',
  scopes: ['openid', 'email', 'https://www.googleapis.com/auth/spreadsheets'],
  extraAuthorizeParameters: { access_type: 'offline', prompt: 'consent' },
})
