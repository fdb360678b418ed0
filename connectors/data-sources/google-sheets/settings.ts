import { ConfigurationError, defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { isJsonObject, parseExactJson } from '@tributary/connector-kit/exact-json'
import { spreadsheetProblem } from '../../wire/google/spreadsheet.ts'

export const settings = defineSettings({
  spreadsheet: setting.text({
    label: 'Spreadsheet',
    help: 'Its URL, or the ID in it.',
    required: true,
    maxLength: 500,
  }),
  sheet: setting.text({
    label: 'Sheet',
    help: 'Name of the sheet (tab) whose rows are read. Leave empty to read the first one.',
    maxLength: 200,
  }),
  key: setting.secret({
    label: 'Service account key',
    help: 'What is in the JSON key file of a service account that can view the spreadsheet. Stored encrypted.',
    required: true,
    maxLength: 5000,
    // The key signs requests and is never sent.
    sentTo: [],
  }),
})

export type GoogleSheetsSourceSettings = SettingsOf<typeof settings>

const keyProblem = 'Paste all that is in the JSON key file of a service account'

/** A service account: its email and its private key. */
export type ServiceAccount = { email: string; privateKey: string }

const accountIn = (key: string): ServiceAccount | undefined => {
  let parsed: unknown
  try {
    parsed = parseExactJson(key)
  } catch {
    return undefined
  }
  if (!isJsonObject(parsed)) return undefined
  const { client_email: email, private_key: privateKey } = parsed
  return typeof email === 'string' && typeof privateKey === 'string' ? { email, privateKey } : undefined
}

/**
 * Returns the service account of a key (developers.google.com/identity/protocols/oauth2/service-account). Throws
 * ConfigurationError for an invalid key.
 */
export const accountOf = (key: string): ServiceAccount => {
  const account = accountIn(key)
  if (account === undefined) throw new ConfigurationError(`The service account key cannot be read. ${keyProblem}`)
  return account
}

/** Checks rules that the setting types do not include. */
export const check = ({ spreadsheet, key }: Partial<GoogleSheetsSourceSettings>): Record<string, string> => {
  const problem = spreadsheetProblem(spreadsheet)
  return {
    ...(problem === undefined ? {} : { spreadsheet: problem }),
    ...(key === undefined || accountIn(key) !== undefined ? {} : { key: keyProblem }),
  }
}
