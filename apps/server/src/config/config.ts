import { resolve } from 'node:path'
import { type FlagKey, type FlagValues, flagDefaults, withoutEnd } from '@tributary/kernel'
import { type BlobsConfig, blobsOf, blobsProblems } from './blobs.ts'
import { kafkaOf, kafkaProblems, type LogConfig } from './kafka.ts'
import { MiB, type RoleName, roleNames, type SettingValues, settings } from './settings.ts'

export type OpenIdConfig = {
  issuer: string
  /** The button that the web application shows: `google`, or `openid` for any other issuer. */
  provider: 'google' | 'openid'
  clientId: string
  clientSecret: string | undefined
  /** Name of the provider on the sign-in button. */
  displayName: string
}

/** Configuration of the server process. Sizes in bytes, times in milliseconds. */
export type Config = {
  port: number
  host: string
  publicUrl: string | undefined
  dataDir: string
  roles: ReadonlySet<RoleName>
  admin: { email: string; password: string | undefined }
  secretKey: string | undefined
  signUpEnabled: boolean
  /** The third-party sign-in, if one is configured. */
  openId: OpenIdConfig | undefined
  /**
   * Links that the web application shows; an empty one is not shown. The documentation may be a path of the product
   * itself.
   */
  links: {
    terms: string
    privacy: string
    pricing: string
    contactSales: string
    documentation: string
    supportEmail: string
  }
  /** The payment provider, the file with the plans, and whether plans limit what can be created. */
  billing: {
    payment: 'none' | 'sandbox' | 'stripe'
    plansFile: string | undefined
    limits: boolean
    unpaidDays: number
    graceHours: number
    freeOrganizations: number
    stripe: { secretKey: string; publishableKey: string; webhookSecret: string | undefined; apiUrl: string } | undefined
  }
  /** Days for which the audit log is kept, by plan, as configured; undefined for the default. */
  auditRetention: string | undefined
  /** The target of DNS records for custom domains, and the DNS servers to query. */
  customDomains: { target: string | undefined; dnsServers: readonly string[] }
  sentryDsn: string | undefined
  analyticsWriteKey: string | undefined
  messagingAppId: string | undefined
  messagingSecret: string | undefined
  environment: 'production' | 'development'
  /** Token required by `/metrics`; undefined for the token in the data folder. */
  metricsToken: string | undefined
  /** Token that authorizes any caller of `/domains/ask`. If it is undefined, only trusted proxies are authorized. */
  domainsToken: string | undefined
  /** If `smtpUrl` is undefined, mail is written into the data folder. */
  mail: { smtpUrl: string | undefined; from: string }
  egressAllow: readonly string[]
  trustedProxies: readonly string[]
  logLevel: 'debug' | 'info' | 'warn' | 'error'
  relational: { kind: 'embedded' } | { kind: 'remote'; url: string }
  eventStore: { kind: 'embedded'; memoryBytes: number } | { kind: 'remote'; url: string }
  log: LogConfig
  /** The data folder that last used the log and that the operator declares lost. */
  lostFolder: string | undefined
  /** Number of groups that the partitions of the logs are divided into; each group has one owner at a time. */
  partitionGroups: number
  blobs: BlobsConfig
  workspaceBacklogBytes: number
  diskReserveBytes: number
  uploadMaxBytes: number
  retention: {
    logMs: number
    /** Maximum time that one file of a log is written to, ms. Records may be kept longer than `logMs` by this time. */
    logSegmentMs: number
    streamBytes: number
    eventsDays: number
    deliveriesDays: number
  }
  deliveryRetryMs: number
  /** How long an event waits until profiles have read it, ms. */
  profileWaitMs: number
  flags: FlagValues
  /** When a thread that does not respond is reported in the log, and when it is ended (0 for never), ms. */
  blocked: { logMs: number; endMs: number }
  fault: string | undefined
}

/** Reports all errors of the configuration together, one per line. */
export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'an error' : 'errors'}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
    this.name = 'ConfigurationError'
  }
}

/** Variables of engines that this version does not support. Setting one is an error. */
const unsupported = ['REDIS_URL']

/** True for a process that only collects, next to the main process. */
export const isCollector = ({ roles }: Pick<Config, 'roles'>): boolean => roles.size === 1 && roles.has('collect')

/**
 * True if all engines are remote. Then the loss of this process and its disk loses no data, another process can take
 * over, and only one process may be active at a time. An event store in the data folder would be lost with the folder,
 * and so would the processing state there.
 */
export const isShared = ({ log, relational, eventStore }: Pick<Config, 'log' | 'relational' | 'eventStore'>): boolean =>
  log.kind === 'kafka' && relational.kind === 'remote' && eventStore.kind === 'remote'

/**
 * True for a process that only processes, only delivers, or does both. Such processes run in addition to the main
 * process.
 */
export const isProcessor = ({ roles }: Pick<Config, 'roles'>): boolean =>
  roles.size > 0 && [...roles].every((role) => role === 'pipeline' || role === 'delivery')

/** Settings that a process that only collects has in common with other processes; all these engines are remote. */
const ofCollector = ['KAFKA_BROKERS', 'DATABASE_URL', 'TRIBUTARY_SECRET_KEY']

const collectorProblems = (
  parsed: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): string[] => {
  const roles = parsed.TRIBUTARY_ROLES
  if (!Array.isArray(roles) || roles.length === 0 || roles.some((role) => role !== 'collect')) return []
  const missing = ofCollector.filter((name) => !environment[name])
  if (missing.length === 0) return []
  return [
    `TRIBUTARY_ROLES: a process that only collects requires ${missing.join(', ')}, the same as of the process beside it`,
  ]
}

/** Settings of the engines that must be remote for several processes to share the processing. */
const ofGroups = ['KAFKA_BROKERS', 'DATABASE_URL', 'CLICKHOUSE_URL']

const processorProblems = (
  parsed: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): string[] => {
  const missing = (names: readonly string[]): string => names.filter((name) => !environment[name]).join(', ')
  const roles: unknown = parsed.TRIBUTARY_ROLES
  const isOne = Array.isArray(roles) && isProcessor({ roles: new Set(roles) })
  const ofOne = missing([...ofGroups, 'TRIBUTARY_SECRET_KEY'])
  if (isOne && ofOne !== '')
    return [
      `TRIBUTARY_ROLES: a process that only processes or delivers requires ${ofOne}, the same as of the main process`,
    ]
  if (Number(parsed.TRIBUTARY_PARTITION_GROUPS ?? 1) > 1 && missing(ofGroups) !== '')
    return [`TRIBUTARY_PARTITION_GROUPS: more than 1 requires ${missing(ofGroups)}`]
  return []
}

/** Reads the environment once. Throws ConfigurationError with all problems together. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const problems: string[] = []
  const parsed: Record<string, unknown> = {}
  for (const [name, { schema, fallback }] of Object.entries(settings)) {
    const given = environment[name]
    const value = given === undefined || given === '' ? fallback : given
    if (value === undefined) continue
    const result = schema.safeParse(value)
    if (result.success) parsed[name] = result.data
    else problems.push(`${name}: ${result.error.issues.map((issue) => issue.message).join('; ')}`)
  }
  for (const name of unsupported)
    if (environment[name]) problems.push(`${name}: this version supports only its embedded engine. Remove the variable`)
  problems.push(...kafkaProblems(parsed, environment), ...blobsProblems(environment))
  for (const name of Object.keys(environment))
    if (name.startsWith('TRIBUTARY_') && !(name in settings)) problems.push(`${name}: this setting does not exist`)
  if (parsed.OIDC_CLIENT_ID === undefined)
    for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_SECRET', 'OIDC_DISPLAY_NAME'])
      if (parsed[name] !== undefined) problems.push(`${name}: requires OIDC_CLIENT_ID`)
  if (parsed.TRIBUTARY_PAYMENT === 'sandbox' && parsed.TRIBUTARY_ENVIRONMENT === 'production')
    problems.push('TRIBUTARY_PAYMENT: the sandbox moves no money. In production it must be sandbox-in-production')
  if (parsed.TRIBUTARY_PAYMENT === 'stripe')
    for (const name of ['TRIBUTARY_STRIPE_SECRET_KEY', 'TRIBUTARY_STRIPE_PUBLISHABLE_KEY'])
      if (parsed[name] === undefined) problems.push(`${name}: is required with TRIBUTARY_PAYMENT=stripe`)
  problems.push(...collectorProblems(parsed, environment), ...processorProblems(parsed, environment))
  if (problems.length > 0) throw new ConfigurationError(problems)
  return toConfig(parsed as SettingValues, environment)
}

const flagsOf = (changes: readonly string[], signUpEnabled: boolean): FlagValues => {
  const given = (key: FlagKey): boolean =>
    changes.findLast((change) => change.startsWith(`${key}=`))?.endsWith('=on') ?? flagDefaults[key]
  return {
    'sign-up-enabled': signUpEnabled,
    syncs: given('syncs'),
    signals: given('signals'),
    audiences: given('audiences'),
    'custom-domain': given('custom-domain'),
  }
}

const google = 'https://accounts.google.com'

const openIdOf = (values: Partial<SettingValues>): OpenIdConfig | undefined => {
  if (values.OIDC_CLIENT_ID === undefined) return undefined
  const issuer = values.OIDC_ISSUER ?? google
  return {
    issuer,
    provider: issuer === google ? 'google' : 'openid',
    clientId: values.OIDC_CLIENT_ID,
    clientSecret: values.OIDC_CLIENT_SECRET,
    displayName: values.OIDC_DISPLAY_NAME ?? (issuer === google ? 'Google' : new URL(issuer).host),
  }
}

const stripeOf = (values: SettingValues): Config['billing']['stripe'] => {
  const { TRIBUTARY_STRIPE_SECRET_KEY: secretKey, TRIBUTARY_STRIPE_PUBLISHABLE_KEY: publishableKey } = values
  if (values.TRIBUTARY_PAYMENT !== 'stripe' || secretKey === undefined || publishableKey === undefined) return undefined
  return {
    secretKey,
    publishableKey,
    webhookSecret: values.TRIBUTARY_STRIPE_WEBHOOK_SECRET,
    apiUrl: withoutEnd(values.TRIBUTARY_STRIPE_API_URL, '/'),
  }
}

/**
 * Resolves the data folder. A configured relative path is resolved against the user's working directory, which npm puts
 * into INIT_CWD. The default path is resolved against the working directory of this process, the checkout.
 */
const dataDirOf = (path: string, environment: Readonly<Record<string, string | undefined>>): string =>
  environment.TRIBUTARY_DATA_DIR ? resolve(environment.INIT_CWD || '.', path) : resolve(path)

const toConfig = (values: SettingValues, environment: Readonly<Record<string, string | undefined>>): Config => ({
  port: values.PORT,
  host: values.HOST,
  publicUrl: values.TRIBUTARY_PUBLIC_URL === undefined ? undefined : withoutEnd(values.TRIBUTARY_PUBLIC_URL, '/'),
  dataDir: dataDirOf(values.TRIBUTARY_DATA_DIR, environment),
  roles: new Set(
    values.TRIBUTARY_ROLES.includes('all') ? roleNames : values.TRIBUTARY_ROLES.filter((role) => role !== 'all'),
  ),
  admin: { email: values.TRIBUTARY_ADMIN_EMAIL, password: values.TRIBUTARY_ADMIN_PASSWORD },
  secretKey: values.TRIBUTARY_SECRET_KEY,
  signUpEnabled: values.TRIBUTARY_SIGN_UP === 'on',
  openId: openIdOf(values),
  links: {
    terms: values.TRIBUTARY_TERMS_URL ?? '',
    privacy: values.TRIBUTARY_PRIVACY_URL ?? '',
    pricing: values.TRIBUTARY_PRICING_URL ?? '',
    contactSales: values.TRIBUTARY_CONTACT_SALES_URL ?? '',
    documentation: values.TRIBUTARY_DOCUMENTATION_URL ?? '/docs',
    supportEmail: values.TRIBUTARY_SUPPORT_EMAIL ?? '',
  },
  billing: {
    payment: values.TRIBUTARY_PAYMENT === 'sandbox-in-production' ? 'sandbox' : values.TRIBUTARY_PAYMENT,
    unpaidDays: values.TRIBUTARY_UNPAID_DAYS,
    stripe: stripeOf(values),
    plansFile: values.TRIBUTARY_PLANS_FILE,
    limits:
      values.TRIBUTARY_PLAN_LIMITS === 'on' ||
      (values.TRIBUTARY_PLAN_LIMITS === 'auto' && values.TRIBUTARY_PAYMENT !== 'none'),
    graceHours: values.TRIBUTARY_PLAN_GRACE_HOURS,
    freeOrganizations: values.TRIBUTARY_FREE_ORGANIZATIONS,
  },
  auditRetention: values.TRIBUTARY_AUDIT_RETENTION,
  customDomains: { target: values.TRIBUTARY_CUSTOM_DOMAIN_TARGET, dnsServers: values.TRIBUTARY_DNS_SERVERS },
  sentryDsn: values.SENTRY_DSN,
  analyticsWriteKey: values.TRIBUTARY_ANALYTICS_WRITE_KEY,
  messagingAppId: values.TRIBUTARY_MESSAGING_APP_ID,
  messagingSecret: values.TRIBUTARY_MESSAGING_SECRET,
  environment: values.TRIBUTARY_ENVIRONMENT,
  metricsToken: values.TRIBUTARY_METRICS_TOKEN,
  domainsToken: values.TRIBUTARY_DOMAINS_TOKEN,
  mail: { smtpUrl: values.SMTP_URL, from: values.TRIBUTARY_MAIL_FROM },
  egressAllow: values.TRIBUTARY_EGRESS_ALLOW,
  trustedProxies: values.TRIBUTARY_TRUSTED_PROXIES,
  logLevel: values.TRIBUTARY_LOG_LEVEL,
  relational: values.DATABASE_URL === undefined ? { kind: 'embedded' } : { kind: 'remote', url: values.DATABASE_URL },
  eventStore:
    values.CLICKHOUSE_URL === undefined
      ? { kind: 'embedded', memoryBytes: values.TRIBUTARY_EVENT_STORE_MEMORY_MB * MiB }
      : { kind: 'remote', url: values.CLICKHOUSE_URL },
  log: kafkaOf(values),
  lostFolder: values.TRIBUTARY_LOST_FOLDER,
  partitionGroups: values.TRIBUTARY_PARTITION_GROUPS,
  blobs: blobsOf(values),
  workspaceBacklogBytes: values.TRIBUTARY_WORKSPACE_BACKLOG_MB * MiB,
  diskReserveBytes: values.TRIBUTARY_DISK_RESERVE_MB * MiB,
  uploadMaxBytes: values.TRIBUTARY_UPLOAD_MAX_MB * MiB,
  retention: {
    logMs: values.TRIBUTARY_RETENTION_LOG_HOURS * 3_600_000,
    logSegmentMs: (values.TRIBUTARY_RETENTION_LOG_HOURS * 3_600_000) / 12,
    streamBytes: values.TRIBUTARY_STREAM_MAX_MB * MiB,
    eventsDays: values.TRIBUTARY_RETENTION_EVENTS_DAYS,
    deliveriesDays: values.TRIBUTARY_RETENTION_DELIVERIES_DAYS,
  },
  deliveryRetryMs: values.TRIBUTARY_DELIVERY_RETRY_HOURS * 3_600_000,
  profileWaitMs: values.TRIBUTARY_PROFILE_WAIT_SECONDS * 1000,
  flags: flagsOf(values.TRIBUTARY_FLAGS, values.TRIBUTARY_SIGN_UP === 'on'),
  blocked: {
    logMs: values.TRIBUTARY_BLOCKED_LOG_SECONDS * 1000,
    endMs: values.TRIBUTARY_BLOCKED_END_SECONDS * 1000,
  },
  fault: values.TRIBUTARY_FAULT,
})
