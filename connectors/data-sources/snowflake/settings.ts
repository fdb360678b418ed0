import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { accountProblems, accountSettings } from '../../wire/snowflake/account.ts'

/** The settings of the form. */
export const settings = defineSettings({
  ...accountSettings({
    role: 'The role that queries run with. It needs USAGE and SELECT only.',
    warehouse: 'The virtual warehouse that queries run in.',
    database: 'The database to read from.',
  }),
  max_seconds: setting.number({
    label: 'Maximum seconds per query',
    help: 'Snowflake ends a query that runs longer, so that it costs no more. Empty means no limit of its own.',
    min: 1,
    max: 86_400,
  }),
})

export type SnowflakeSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<SnowflakeSettings>): Record<string, string> => accountProblems(given)
