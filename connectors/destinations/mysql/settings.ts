import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/mysql/access.ts'
import { identifierCharacters } from '../../wire/mysql/identifiers.ts'

/** The settings of the form. */
export const settings = defineSettings({
  ...accessSettings({ database: 'The database to write to. It must exist.' }),
  row_table: setting.text({
    label: 'Event table',
    help: 'The table that “Upsert row” mappings write events to.',
    default: 'events',
    maxLength: identifierCharacters,
  }),
  row_key: setting.text({
    label: 'Event key column',
    help: 'A row with the same value in this column is replaced.',
    default: 'id',
    maxLength: identifierCharacters,
  }),
})

export type MysqlSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<MysqlSettings>): Record<string, string> =>
  accessProblems(given, ['database', 'row_table', 'row_key'])
