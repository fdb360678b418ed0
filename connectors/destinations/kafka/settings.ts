import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { certificatesOf } from '../../wire/access/certificates.ts'

export const settings = defineSettings({
  brokers: setting.text({
    label: 'Brokers',
    help: 'Host and port of one or more brokers, separated by commas, such as kafka.example.com:9092.',
    required: true,
    maxLength: 1000,
  }),
  topic: setting.text({
    label: 'Topic',
    help: 'The topic must exist.',
    required: true,
    maxLength: 249,
  }),
  key: setting.choice({
    label: 'Key',
    help: 'Records with the same key are in the same partition, in their order.',
    required: true,
    default: 'person',
    choices: [
      { value: 'person', label: 'User ID, else anonymous ID' },
      { value: 'none', label: 'None: spread over all partitions' },
    ],
  }),
  tls: setting.choice({
    label: 'Encryption',
    help: "Whether to encrypt the connection and verify the brokers' certificates.",
    required: true,
    default: 'verify',
    choices: [
      { value: 'verify', label: 'TLS, certificate verified' },
      { value: 'off', label: 'None' },
    ],
  }),
  ca_certificate: setting.text({
    label: 'CA certificate',
    help: 'PEM text. Only needed if the brokers’ certificates come from your own CA.',
    maxLength: 20_000,
    showWhen: { field: 'tls', value: 'verify' },
  }),
  authentication: setting.choice({
    label: 'Authentication',
    help: 'The mechanism of SASL with which a user signs in.',
    required: true,
    default: 'scram-sha-512',
    choices: [
      { value: 'scram-sha-512', label: 'SCRAM-SHA-512' },
      { value: 'scram-sha-256', label: 'SCRAM-SHA-256' },
      { value: 'plain', label: 'PLAIN' },
      { value: 'none', label: 'None' },
    ],
  }),
  user: setting.text({
    label: 'User',
    help: 'The user, or the API key of a hosted Kafka. It may write to the topic and describe it.',
    maxLength: 255,
  }),
  password: setting.secret({
    label: 'Password',
    help: 'The password, or the API secret of a hosted Kafka. Stored encrypted.',
    maxLength: 1000,
    // These settings also decide which parties can read the secret in transit.
    sentTo: (['brokers', 'tls', 'ca_certificate', 'authentication'] as const).map((name) => ({
      setting: name,
      by: 'value',
    })),
  }),
})

export type KafkaSettings = SettingsOf<typeof settings>

export type BrokerAddress = { host: string; port: number }

/** Returns the addresses of the brokers; undefined if one cannot be read. */
export const brokersOf = (text: string): BrokerAddress[] | undefined => {
  const brokers = text.split(',').map((part) => {
    const [, host = '', port = ''] = /^\s*([a-z0-9._-]{1,255}|\[[0-9a-f:.]+\]):(\d{1,5})\s*$/i.exec(part) ?? []
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
  })
  return brokers.every(({ host, port }) => host !== '' && port > 0 && port < 65_536) ? brokers : undefined
}

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<KafkaSettings>): Record<string, string> => {
  const { brokers, topic, ca_certificate, authentication, user, password } = given
  const problems: Record<string, string> = {}
  if (brokers !== undefined && brokersOf(brokers) === undefined)
    problems.brokers = 'Enter host and port of each broker, such as kafka.example.com:9092'
  // The rule of Kafka (org.apache.kafka.common.internals.Topic).
  if (topic !== undefined && (!/^[a-zA-Z0-9._-]{1,249}$/.test(topic) || topic === '.' || topic === '..'))
    problems.topic = 'Use up to 249 letters, digits, dots, hyphens, and underscores'
  if (ca_certificate !== undefined && !certificatesOf(ca_certificate))
    problems.ca_certificate = 'Paste a certificate that starts with -----BEGIN CERTIFICATE-----'
  if (authentication !== 'none' && brokers !== undefined) {
    if (user === undefined) problems.user = 'Enter the user, or choose no authentication'
    if (password === undefined) problems.password = 'Enter the password, or choose no authentication'
  }
  return problems
}
