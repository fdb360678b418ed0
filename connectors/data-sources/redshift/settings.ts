import { defineSettings, type SettingsOf } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/redshift/access.ts'

/** The settings of the form. */
export const settings = defineSettings(accessSettings({ database: 'The database to read from.' }))

export type RedshiftSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<RedshiftSettings>): Record<string, string> =>
  accessProblems(given, ['database', 'user'])
