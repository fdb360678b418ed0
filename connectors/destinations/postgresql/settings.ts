import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { certificatesOf } from './tls.ts'
import { isIdentifier } from './upsert-row.ts'

/** What the form asks for. */
export const settings = defineSettings({
  host: setting.text({ label: 'Host', help: 'Server name or address.', required: true, maxLength: 255 }),
  port: setting.number({ label: 'Port', help: 'Usually 5432.', required: true, default: 5432, min: 1, max: 65_535 }),
  database: setting.text({
    label: 'Database',
    help: 'The database to write events to.',
    required: true,
    maxLength: 63,
  }),
  user: setting.text({
    label: 'User',
    help: 'See the guide for the privileges it needs.',
    required: true,
    maxLength: 63,
  }),
  password: setting.secret({
    label: 'Password',
    help: 'Stored encrypted.',
    maxLength: 255,
    // Who can read it on its way is decided by the encryption, too.
    sentTo: (['host', 'port', 'tls', 'ca_certificate'] as const).map((name) => ({ setting: name, by: 'value' })),
  }),
  schema: setting.text({
    label: 'Schema',
    help: 'Tables are created here. The schema is created if the user has permission.',
    required: true,
    default: 'tributary',
    maxLength: 63,
  }),
  tls: setting.choice({
    label: 'Encryption',
    help: "Whether to encrypt the connection and verify the server's certificate.",
    required: true,
    default: 'verify',
    choices: [
      { value: 'verify', label: 'TLS, certificate verified' },
      { value: 'off', label: 'None' },
    ],
  }),
  ca_certificate: setting.text({
    label: 'CA certificate',
    help: 'PEM text. Only needed if the server’s certificate comes from your own CA.',
    maxLength: 20_000,
    showWhen: { field: 'tls', value: 'verify' },
  }),
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

/** Rules that a field's type does not say. */
export const check = (given: Partial<PostgresqlSettings>): Record<string, string> => {
  const problems: Record<string, string> = {}
  for (const name of ['database', 'user', 'schema', 'row_table', 'row_key'] as const)
    if (!isIdentifier(given[name] ?? '')) problems[name] = 'At most 63 bytes, without NUL characters'
  if (given.schema?.startsWith('pg_') === true) problems.schema = 'Names that start with pg_ are reserved by PostgreSQL'
  if (given.ca_certificate !== undefined && !certificatesOf(given.ca_certificate))
    problems.ca_certificate = 'Paste a certificate that starts with -----BEGIN CERTIFICATE-----'
  return problems
}
