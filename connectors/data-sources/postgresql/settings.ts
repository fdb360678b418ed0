import { defineSettings, type SettingsOf } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/postgresql/access.ts'

/** The settings of the form. */
export const settings = defineSettings(accessSettings({ database: 'The database to read from.' }))

export type PostgresqlSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<PostgresqlSettings>): Record<string, string> =>
  accessProblems(given, ['database', 'user'])
