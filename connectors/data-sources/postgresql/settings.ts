import { defineSettings, type SettingsOf } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/postgresql/access.ts'

/** The settings of the form. */
export const settings = defineSettings(accessSettings({ database: 'The database to read from.' }))

export type PostgresqlSettings = SettingsOf<typeof settings>

/** Rules that a field's type does not say. */
export const check = (given: Partial<PostgresqlSettings>): Record<string, string> =>
  accessProblems(given, ['database', 'user'])
