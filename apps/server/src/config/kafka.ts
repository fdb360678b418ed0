import type { SettingValues } from './settings.ts'

/**
 * The location of the log. TLS files are given as paths: the options are passed to other threads, which read the
 * secrets themselves.
 */
export type LogConfig =
  | { kind: 'embedded' }
  | {
      kind: 'kafka'
      brokers: readonly { host: string; port: number }[]
      topicPrefix: string
      tls: { caFile: string | undefined; certFile: string | undefined; keyFile: string | undefined } | undefined
      sasl:
        | { mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'; username: string; password: string }
        | {
            mechanism: 'OAUTHBEARER'
            tokenUrl: string
            clientId: string
            clientSecret: string
            scope: string | undefined
          }
        | undefined
    }

const passwordSettings = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const
const tokenSettings = ['KAFKA_SASL_TOKEN_URL', 'KAFKA_SASL_CLIENT_ID', 'KAFKA_SASL_CLIENT_SECRET'] as const
const ofTls = ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE']
const ofKafka = ['KAFKA_TOPIC_PREFIX', 'KAFKA_TLS', ...ofTls, 'KAFKA_SASL_MECHANISM']

/** Reports settings of Kafka that conflict; `parsed` has those that are valid on their own. */
export const kafkaProblems = (
  parsed: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): string[] => {
  const problems: string[] = []
  const isSet = (name: string): boolean => Boolean(environment[name])
  if (isSet('KAFKA_URL'))
    problems.push('KAFKA_URL: this setting does not exist. Set KAFKA_BROKERS to host:port, or remove it')
  if (!isSet('KAFKA_BROKERS')) {
    for (const name of ofKafka) if (isSet(name)) problems.push(`${name}: requires KAFKA_BROKERS`)
    return problems
  }
  if (Array.isArray(parsed.KAFKA_BROKERS) && parsed.KAFKA_BROKERS.length === 0)
    problems.push('KAFKA_BROKERS: must be addresses such as kafka-1:9092,kafka-2:9092')
  if (parsed.KAFKA_TLS !== 'on')
    for (const name of ofTls) if (isSet(name)) problems.push(`${name}: requires KAFKA_TLS=on`)
  if (isSet('KAFKA_TLS_CERT_FILE') !== isSet('KAFKA_TLS_KEY_FILE'))
    problems.push('KAFKA_TLS_CERT_FILE: a certificate and its key go together')
  const mechanism = typeof parsed.KAFKA_SASL_MECHANISM === 'string' ? parsed.KAFKA_SASL_MECHANISM : undefined
  const byToken = mechanism === 'OAUTHBEARER'
  for (const name of passwordSettings) {
    if (isSet(name) && (mechanism === undefined || byToken))
      problems.push(`${name}: requires KAFKA_SASL_MECHANISM to be PLAIN or SCRAM`)
    if (!isSet(name) && mechanism !== undefined && !byToken)
      problems.push(`${name}: is required with KAFKA_SASL_MECHANISM=${mechanism}`)
  }
  for (const name of tokenSettings) {
    if (isSet(name) && !byToken) problems.push(`${name}: requires KAFKA_SASL_MECHANISM=OAUTHBEARER`)
    if (!isSet(name) && byToken) problems.push(`${name}: is required with KAFKA_SASL_MECHANISM=OAUTHBEARER`)
  }
  if (isSet('KAFKA_SASL_SCOPE') && !byToken)
    problems.push('KAFKA_SASL_SCOPE: requires KAFKA_SASL_MECHANISM=OAUTHBEARER')
  return problems
}

const saslOf = (values: SettingValues): Extract<LogConfig, { kind: 'kafka' }>['sasl'] => {
  const { KAFKA_SASL_MECHANISM: mechanism } = values
  if (mechanism === undefined) return undefined
  if (mechanism !== 'OAUTHBEARER')
    return { mechanism, username: values.KAFKA_SASL_USERNAME ?? '', password: values.KAFKA_SASL_PASSWORD ?? '' }
  return {
    mechanism,
    tokenUrl: values.KAFKA_SASL_TOKEN_URL ?? '',
    clientId: values.KAFKA_SASL_CLIENT_ID ?? '',
    clientSecret: values.KAFKA_SASL_CLIENT_SECRET ?? '',
    scope: values.KAFKA_SASL_SCOPE,
  }
}

/** Reads the location of the log from settings without problems. */
export const kafkaOf = (values: SettingValues): LogConfig =>
  values.KAFKA_BROKERS === undefined
    ? { kind: 'embedded' }
    : {
        kind: 'kafka',
        brokers: values.KAFKA_BROKERS,
        topicPrefix: values.KAFKA_TOPIC_PREFIX,
        tls:
          values.KAFKA_TLS === 'on'
            ? {
                caFile: values.KAFKA_TLS_CA_FILE,
                certFile: values.KAFKA_TLS_CERT_FILE,
                keyFile: values.KAFKA_TLS_KEY_FILE,
              }
            : undefined,
        sasl: saslOf(values),
      }
