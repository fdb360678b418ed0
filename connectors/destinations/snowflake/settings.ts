import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { accountProblems, accountSettings, storedName } from '../../wire/snowflake/account.ts'
import { everySetting, loadProblems } from '../../wire/warehouse/load-settings.ts'

const { database: _, ...account } = accountSettings({
  role: 'The role that loads events. It owns the tables.',
  warehouse: 'The virtual warehouse that loads run in.',
  database: '',
})

const final = 'It can’t be changed later, because the loaded events would stay behind.'

/** The settings of the form. */
export const settings = defineSettings({
  ...account,
  database: setting.text({
    label: 'Database',
    help: `The database of the schema. ${final}`,
    required: true,
    editable: false,
    maxLength: 255,
  }),
  schema: setting.text({
    label: 'Schema',
    help: `The tables are created here. Use a schema for this destination alone. ${final}`,
    required: true,
    editable: false,
    default: 'TRIBUTARY',
    maxLength: 255,
  }),
  ...everySetting('60'),
})

export type SnowflakeSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<SnowflakeSettings>): Record<string, string> => ({
  ...loadProblems(given),
  ...accountProblems(given),
  ...(given.schema !== undefined && storedName(given.schema) === '' ? { schema: 'Enter a name' } : {}),
})
