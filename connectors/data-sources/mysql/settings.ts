import { defineSettings, type SettingsOf } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/mysql/access.ts'

/** The settings of the form. */
export const settings = defineSettings(accessSettings({ database: 'The database that queries run in.' }))

export type MysqlSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<MysqlSettings>): Record<string, string> => accessProblems(given, ['database'])
