import { setting } from '@tributary/connector-kit'
import { isIdentifier } from './identifiers.ts'
import { certificatesOf } from './tls.ts'

/** The settings that say which database is connected to and as whom; `database` is what the form says of that field. */
export const accessSettings = ({ database }: { database: string }) => ({
  host: setting.text({ label: 'Host', help: 'Server name or address.', required: true, maxLength: 255 }),
  port: setting.number({ label: 'Port', help: 'Usually 5432.', required: true, default: 5432, min: 1, max: 65_535 }),
  database: setting.text({ label: 'Database', help: database, required: true, maxLength: 63 }),
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
})

/** With what a client connects. */
export type Access = {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password?: string | undefined
  readonly tls: 'verify' | 'off'
  readonly ca_certificate?: string | undefined
}

/** Rules that the type of a field does not say; `names` are the settings that hold identifiers. */
export const accessProblems = (
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, string> => {
  const problems: Record<string, string> = {}
  for (const name of names) {
    const value = given[name]
    if (typeof value !== 'string' || !isIdentifier(value)) problems[name] = 'At most 63 bytes, without NUL characters'
  }
  const { ca_certificate } = given
  if (typeof ca_certificate === 'string' && !certificatesOf(ca_certificate))
    problems.ca_certificate = 'Paste a certificate that starts with -----BEGIN CERTIFICATE-----'
  return problems
}
