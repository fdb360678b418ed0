import { type FieldDefinition, type Settings, settingText } from '@tributary/connector-kit'
import { certificatesOf } from './tls.ts'
import { isIdentifier } from './upsert-row.ts'

const text = (name: string, label: string, help: string, more: Partial<FieldDefinition> = {}): FieldDefinition => ({
  name,
  label,
  help,
  type: 'string',
  required: true,
  maxLength: 255,
  secret: false,
  editable: true,
  ...more,
})

/** What the form asks for. */
export const fields: readonly FieldDefinition[] = [
  text('host', 'Host', 'Server name or address.'),
  text('port', 'Port', 'Usually 5432.', { type: 'number', default: 5432, min: 1, max: 65_535 }),
  text('database', 'Database', 'The database to write events to.', { maxLength: 63 }),
  text('user', 'User', 'See the guide for the privileges it needs.', { maxLength: 63 }),
  text('password', 'Password', 'Stored encrypted.', {
    type: 'secret',
    secret: true,
    // Who can read it on its way is decided by the encryption, too.
    sentTo: (['host', 'port', 'tls', 'ca_certificate'] as const).map((setting) => ({ setting, by: 'value' })),
    required: false,
  }),
  text('schema', 'Schema', 'Tables are created here. The schema is created if the user has permission.', {
    default: 'tributary',
    maxLength: 63,
  }),
  text('tls', 'Encryption', "Whether to encrypt the connection and verify the server's certificate.", {
    type: 'select',
    default: 'verify',
    choices: [
      { value: 'verify', label: 'TLS, certificate verified' },
      { value: 'off', label: 'None' },
    ],
  }),
  text(
    'ca_certificate',
    'CA certificate',
    'PEM text. Only needed if the server’s certificate comes from your own CA.',
    {
      required: false,
      maxLength: 20_000,
      showWhen: { field: 'tls', value: 'verify' },
    },
  ),
  text('row_table', 'Upsert table', 'The table that “Upsert row” mappings write to.', {
    required: false,
    default: 'rows',
    maxLength: 63,
  }),
  text('row_key', 'Upsert key column', 'A row with the same value in this column is replaced.', {
    required: false,
    default: 'id',
    maxLength: 63,
  }),
  text(
    'statement',
    'Custom SQL statement',
    'The statement that “Run statement” mappings run for each event. Parameters such as :user_id, :event, :timestamp, :properties, :traits and :payload stand for the event’s values.',
    { type: 'sql', required: false, maxLength: 10_000 },
  ),
]

/** Rules that a field's type does not say. */
export const check = (settings: Settings): Record<string, string> => {
  const problems: Record<string, string> = {}
  for (const name of ['database', 'user', 'schema', 'row_table', 'row_key'])
    if (!isIdentifier(settingText(settings, name))) problems[name] = 'At most 63 bytes, without NUL characters'
  if (settingText(settings, 'schema').startsWith('pg_'))
    problems.schema = 'Names that start with pg_ are reserved by PostgreSQL'
  const authority = settings.ca_certificate
  if (typeof authority === 'string' && !certificatesOf(authority))
    problems.ca_certificate = 'Paste a certificate that starts with -----BEGIN CERTIFICATE-----'
  return problems
}
