import { defineSettings, type SettingsOf } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/postgresql/access.ts'

/** What the form asks for. */
export const settings = defineSettings(accessSettings({ database: 'The database to read from.' }))

export type PostgresqlSettings = SettingsOf<typeof settings>

/** Rules that a field's type does not say. */
export const check = (given: Partial<PostgresqlSettings>): Record<string, string> =>
  accessProblems(given, ['database', 'user'])
