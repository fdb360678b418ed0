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
  text('host', 'Host', 'Name or address of the server.'),
  text('port', 'Port', 'Usually 5432.', { type: 'number', default: 5432, min: 1, max: 65_535 }),
  text('database', 'Database', 'The database that events are written to.', { maxLength: 63 }),
  text('user', 'User', 'See the guide for the privileges it needs.', { maxLength: 63 }),
  text('password', 'Password', 'Stored encrypted.', {
    type: 'secret',
    secret: true,
    // Who can read it on its way is decided by the encryption, too.
    sentTo: (['host', 'port', 'tls', 'ca_certificate'] as const).map((setting) => ({ setting, by: 'value' })),
    required: false,
  }),
  text('schema', 'Schema', 'Tables are made here. It is made, too, when the user may.', {
    default: 'tributary',
    maxLength: 63,
  }),
  text('tls', 'Encryption', 'Whether the connection is encrypted and the server proves who it is.', {
    type: 'select',
    default: 'verify',
    choices: [
      { value: 'verify', label: 'TLS, certificate verified' },
      { value: 'off', label: 'None' },
    ],
  }),
  text(
    'ca_certificate',
    'Certificate of the authority',
    'PEM text, when the server’s certificate is from one of your own.',
    {
      required: false,
      maxLength: 20_000,
      showWhen: { field: 'tls', value: 'verify' },
    },
  ),
  text('row_table', 'Table of upserted rows', 'Where mappings with the action “Upsert row” write to.', {
    required: false,
    default: 'rows',
    maxLength: 63,
  }),
  text('row_key', 'Key column of upserted rows', 'A row with the same value here is written over.', {
    required: false,
    default: 'id',
    maxLength: 63,
  }),
  text(
    'statement',
    'Custom SQL statement',
    'One statement that mappings with the action “Run statement” run for each event. Parameters such as :user_id, :event, :timestamp, :properties, :traits and :payload stand for the event’s values.',
    { type: 'sql', required: false, maxLength: 10_000 },
  ),
]

/** Rules that a field's type does not say. */
export const check = (settings: Settings): Record<string, string> => {
  const problems: Record<string, string> = {}
  for (const name of ['database', 'user', 'schema', 'row_table', 'row_key'])
    if (!isIdentifier(settingText(settings, name))) problems[name] = 'At most 63 bytes, and no NUL character'
  if (settingText(settings, 'schema').startsWith('pg_'))
    problems.schema = 'Names that begin with pg_ belong to PostgreSQL'
  const authority = settings.ca_certificate
  if (typeof authority === 'string' && !certificatesOf(authority))
    problems.ca_certificate = 'Paste a certificate that begins with -----BEGIN CERTIFICATE-----'
  return problems
}
