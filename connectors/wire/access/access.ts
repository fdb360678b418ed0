import { setting } from '@tributary/connector-kit'
import { certificatesOf } from './certificates.ts'

/**
 * Creates the settings of the database and the account.
 * - `database` is the help text of that field in the form.
 * - `port` is the usual port of such servers.
 * - `longest` limits the characters of the names.
 */
export const databaseSettings = (given: {
  database: string
  port: number
  longest: { database: number; user: number }
}) => ({
  host: setting.text({ label: 'Host', help: 'Server name or address.', required: true, maxLength: 255 }),
  port: setting.number({
    label: 'Port',
    help: `Usually ${given.port}.`,
    required: true,
    default: given.port,
    min: 1,
    max: 65_535,
  }),
  database: setting.text({
    label: 'Database',
    help: given.database,
    required: true,
    maxLength: given.longest.database,
  }),
  user: setting.text({
    label: 'User',
    help: 'See the guide for the privileges it needs.',
    required: true,
    maxLength: given.longest.user,
  }),
  password: setting.secret({
    label: 'Password',
    help: 'Stored encrypted.',
    maxLength: 255,
    // These settings also decide which parties can read the secret in transit.
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

/** The data with which a client connects. */
export type DatabaseAccess = {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password?: string | undefined
  readonly tls: 'verify' | 'off'
  readonly ca_certificate?: string | undefined
}

/**
 * Checks rules that the field types do not include: names must be valid for the server (`isName`, or `words`), and
 * certificates must be certificates.
 */
export const databaseProblems = (
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  { isName, words }: { isName: (text: string) => boolean; words: string },
): Record<string, string> => {
  const problems: Record<string, string> = {}
  for (const name of names) {
    const value = given[name]
    if (typeof value !== 'string' || !isName(value)) problems[name] = words
  }
  const { ca_certificate } = given
  if (typeof ca_certificate === 'string' && !certificatesOf(ca_certificate))
    problems.ca_certificate = 'Paste a certificate that starts with -----BEGIN CERTIFICATE-----'
  return problems
}
