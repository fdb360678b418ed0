import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/postgresql/access.ts'

const { tls, ca_certificate, ...address } = accessSettings({ database: 'The database to write events to.' })

/** The settings of the form. */
export const settings = defineSettings({
  ...address,
  schema: setting.text({
    label: 'Schema',
    help: 'Tables are created here. The schema is created if the user has permission. It can’t be changed later, because the rows that were sent would stay behind.',
    required: true,
    // The setting cannot be changed later, because syncs store the rows that they have confirmed at this place.
    editable: false,
    default: 'tributary',
    maxLength: 63,
  }),
  tls,
  ca_certificate,
  row_table: setting.text({
    label: 'Upsert table',
    help: 'The table that “Upsert row” mappings write to.',
    default: 'rows',
    maxLength: 63,
  }),
  row_key: setting.text({
    label: 'Upsert key column',
    help: 'A row with the same value in this column is replaced.',
    default: 'id',
    maxLength: 63,
  }),
  statement: setting.sql({
    label: 'Custom SQL statement',
    help: 'The statement that “Run statement” mappings run for each event. Parameters such as :user_id, :event, :timestamp, :properties, :traits and :payload stand for the event’s values.',
    maxLength: 10_000,
  }),
})

export type PostgresqlSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<PostgresqlSettings>): Record<string, string> => ({
  ...accessProblems(given, ['database', 'user', 'schema', 'row_table', 'row_key']),
  ...(given.schema?.startsWith('pg_') === true
    ? { schema: 'Names that start with pg_ are reserved by PostgreSQL' }
    : {}),
})
