import { defineSettings, type SettingsOf } from '@tributary/connector-kit'
import { databaseProblems, databaseSettings } from '../../wire/access/access.ts'

const nameCharacters = 200

/** The settings of the form. */
export const settings = defineSettings(
  databaseSettings({
    database: 'The database that queries run in.',
    port: 8443,
    longest: { database: nameCharacters, user: nameCharacters },
  }),
)

export type ClickhouseSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<ClickhouseSettings>): Record<string, string> =>
  databaseProblems(given, ['database'], {
    isName: (name) => name !== '' && name.length <= nameCharacters && !name.includes('\0'),
    words: `At most ${nameCharacters} characters, without NUL characters`,
  })
