import { totalmem } from 'node:os'
import { flagDefaults, flagKeys } from '@tributary/kernel'
import { z } from 'zod'
import { isLoopbackHost } from '../http/loopback.ts'

/** The parts of the product that a process runs. */
export const roleNames = ['api', 'collect', 'realtime', 'pipeline', 'delivery', 'profiles', 'jobs'] as const
export type RoleName = (typeof roleNames)[number]

export const MiB = 1024 * 1024

const text = z.string().trim()
const whole = (least: number, most = Number.MAX_SAFE_INTEGER, why = '') =>
  text
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}${why}`))
const list = text.transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
const dnsServers = list.refine(
  (servers) =>
    servers.every((server) => /^(?:[\d.]+(?::\d{1,5})?|\[[\da-f:]+\](?::\d{1,5})?|[\da-f:]+)$/i.test(server)),
  'must be addresses with an optional port, such as 1.1.1.1 or 127.0.0.1:5300',
)
/**
 * Deleted users disappear from the logs when files are deleted by age. A file may be written for a twelfth of the time,
 * so that takes 30 days at most.
 */
const maxLogHours = 27 * 24
/**
 * A destination may wait up to a day before a retry, and retries last up to this time: delivery needs no older records
 * in the log.
 */
const maxRetryHours = maxLogHours - 24
/** Sign-up has its own setting, so it is not listed here. */
const switches = flagKeys.filter((key) => key !== 'sign-up-enabled')
const flagChanges = list.refine(
  (values) => values.every((value) => switches.some((key) => value === `${key}=on` || value === `${key}=off`)),
  `must be some of ${switches.map((key) => `${key}=on or =off`).join(', ')}, separated by commas`,
)
const url = (...protocols: string[]) =>
  text.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })
/** Like `url`, but the host may be missing if a parameter names the folder of a Unix socket, as libpq allows. */
const databaseUrl = text.refine(
  (value) => {
    const full = value.replace(/^(postgres(?:ql)?:\/\/(?:[^/@]*@)?)\//, '$1localhost/')
    if (!URL.canParse(full) || !/^postgres(ql)?:$/.test(new URL(full).protocol)) return false
    return full === value || new URL(full).searchParams.has('host')
  },
  {
    message:
      'must be a URL such as postgres://user:password@host:5432/database or postgres://user@/database?host=/socket/folder',
  },
)
const brokers = list
  .refine(
    (values) =>
      values.every(
        (value) => /^(?:[\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(value) && Number(value.split(':').at(-1)) < 65_536,
      ),
    'must be addresses such as kafka-1:9092,kafka-2:9092',
  )
  .transform((values) =>
    values.map((value) => ({
      host: value.slice(0, value.lastIndexOf(':')).replace(/^\[|\]$/g, ''),
      port: Number(value.slice(value.lastIndexOf(':') + 1)),
    })),
  )
const cidr = /^[0-9a-fA-F.:]+\/\d{1,3}$/
const networks = list.refine(
  (values) => values.every((value) => cidr.test(value)),
  'must be networks such as 10.0.0.0/8, separated by commas',
)

const issuer = url('http:', 'https:').refine(
  (value) => !URL.canParse(value) || new URL(value).protocol === 'https:' || isLoopbackHost(new URL(value).hostname),
  'must begin with https://; http:// is taken for a loopback address only',
)
const webAddress = url('http:', 'https:')

type Setting = { schema: z.ZodType; fallback: string | undefined; shown: string; help: string }
const setting = <T extends z.ZodType>(schema: T, fallback: string | undefined, help: string, shown = fallback ?? '') =>
  ({ schema, fallback, shown, help }) as const

/**
 * Every variable that the product reads, in the order of the documented table. A variable without a fallback is
 * optional. `npm run check` compares docs/configuration.md with it.
 */
export const settings = {
  PORT: setting(
    whole(0).pipe(z.number().max(65_535)),
    '3000',
    'Port for the web application, the API, collection, and realtime. `0` picks a free port.',
  ),
  HOST: setting(text.min(1), '127.0.0.1', 'Address to listen on. Use `0.0.0.0` for all, behind a proxy with TLS.'),
  TRIBUTARY_PUBLIC_URL: setting(
    url('http:', 'https:'),
    undefined,
    'URL where browsers and SDKs reach Tributary behind a proxy. Links in emails start with it. Where it is `https:`, browsers are told to stay with https for a year.',
    'the address of the request; in emails, `HOST` and `PORT`',
  ),
  TRIBUTARY_DATA_DIR: setting(
    text.min(1),
    './data',
    'Folder of the embedded engines, the log, blobs, and the secret key. A relative path starts where you run npm. The default is inside the checkout.',
  ),
  TRIBUTARY_ROLES: setting(
    list.pipe(z.array(z.enum(['all', ...roleNames])).min(1)),
    'all',
    `What this process runs: \`all\`, or some of ${roleNames.map((role) => `\`${role}\``).join(', ')}. \`collect\` alone, or \`pipeline\` and \`delivery\` alone, are processes [beside the main one](scaling.md).`,
  ),
  TRIBUTARY_ADMIN_EMAIL: setting(
    z.email('must be an email address'),
    'admin@tributary.local',
    'Platform admin created on the first start.',
  ),
  TRIBUTARY_ADMIN_PASSWORD: setting(
    z.string().min(8, 'must have at least 8 characters'),
    undefined,
    'Password of the platform admin when it is created. To change it later, use `npm run admin-password`.',
    'generated, printed once',
  ),
  TRIBUTARY_SECRET_KEY: setting(
    text.min(32, 'must have at least 32 characters'),
    undefined,
    'Key that encrypts credentials and signs tokens, the same in all processes of an installation.',
    '`secret.key` in the data folder, created on the first start',
  ),
  TRIBUTARY_METRICS_TOKEN: setting(
    text.regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible characters'),
    undefined,
    'Token that `/metrics` requires as `Authorization: Bearer`, from every client.',
    '`metrics.token` in the data folder, created on the first start; a process that only collects has none',
  ),
  TRIBUTARY_DOMAINS_TOKEN: setting(
    text.regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible characters'),
    undefined,
    'Token with which a reverse proxy that is not trusted asks about [custom domains](operations.md#custom-domains).',
    'only trusted proxies can ask',
  ),
  SMTP_URL: setting(
    url('smtp:', 'smtps:'),
    undefined,
    'Mail server: `smtp://user:password@host:587` or `smtps://user:password@host:465`.',
    'emails are files in `outbox/` of the data folder',
  ),
  TRIBUTARY_MAIL_FROM: setting(
    text.regex(/^([^<>\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u, 'must be an address, or Name <address>'),
    'Tributary <no-reply@tributary.local>',
    'Sender of emails.',
    '`Tributary <no-reply@tributary.local>`',
  ),
  TRIBUTARY_EGRESS_ALLOW: setting(
    networks,
    '',
    'Private networks that destinations can reach, such as `127.0.0.0/8,10.0.0.0/8`. Metadata addresses of clouds are always blocked.',
    'none',
  ),
  TRIBUTARY_TRUSTED_PROXIES: setting(networks, '', 'Networks of proxies whose `X-Forwarded-For` is trusted.', 'none'),
  TRIBUTARY_SIGN_UP: setting(
    z.enum(['on', 'off'], 'must be on or off'),
    'on',
    'Whether anyone can sign up. With `off`, people need an invitation or an onboarding link.',
  ),
  OIDC_ISSUER: setting(
    issuer,
    undefined,
    'Issuer for third-party sign-in (OpenID Connect), such as `https://login.example.com/realms/main`.',
    '`https://accounts.google.com` if a client ID is set',
  ),
  OIDC_CLIENT_ID: setting(
    text.min(1),
    undefined,
    'Client ID registered with the issuer. Its redirect URL is `<your URL>/auth/oauth-callback`.',
    'no third-party sign-in',
  ),
  OIDC_CLIENT_SECRET: setting(text.min(1), undefined, 'Secret of the client.', 'a client without a secret'),
  OIDC_DISPLAY_NAME: setting(
    text.min(1),
    undefined,
    'Name of the provider on the sign-in button.',
    "Google, or the issuer's host",
  ),
  TRIBUTARY_TERMS_URL: setting(webAddress, undefined, 'Terms of service, linked on the sign-up page.', 'no link'),
  TRIBUTARY_PRIVACY_URL: setting(webAddress, undefined, 'Privacy policy, linked on the sign-up page.', 'no link'),
  TRIBUTARY_PRICING_URL: setting(
    webAddress,
    undefined,
    'Pricing page, linked for administrators on the free plan.',
    'no link',
  ),
  TRIBUTARY_CONTACT_SALES_URL: setting(webAddress, undefined, 'Contact page of sales.', 'no link'),
  TRIBUTARY_PAYMENT: setting(
    z.enum(['none', 'sandbox', 'sandbox-in-production', 'stripe']),
    'none',
    'Who takes payments for plans. `stripe` needs its keys below. `sandbox` takes test cards only and moves no money; without `TRIBUTARY_ENVIRONMENT=development` it must be `sandbox-in-production`. With `none`, plans cannot be bought.',
  ),
  TRIBUTARY_STRIPE_SECRET_KEY: setting(
    text.regex(/^[rs]k_(live|test)_\w+$/, 'must begin with sk_live_, sk_test_, rk_live_, or rk_test_'),
    undefined,
    'Secret or restricted key of Stripe. It never leaves the server.',
    'none',
  ),
  TRIBUTARY_STRIPE_PUBLISHABLE_KEY: setting(
    text.regex(/^pk_(live|test)_\w+$/, 'must begin with pk_live_ or pk_test_'),
    undefined,
    'Publishable key of Stripe, for its card form.',
    'none',
  ),
  TRIBUTARY_STRIPE_WEBHOOK_SECRET: setting(
    text.regex(/^whsec_\S+$/, 'must begin with whsec_'),
    undefined,
    'Signing secret of the webhook endpoint `<your URL>/webhooks/stripe` at Stripe. Send it `customer.subscription.*`, `subscription_schedule.*`, `invoice.*`, and `payment_method.*`.',
    'webhooks are refused',
  ),
  TRIBUTARY_STRIPE_API_URL: setting(
    webAddress,
    'https://api.stripe.com',
    'Address of the API of Stripe, the only one that is asked. For tests.',
  ),
  TRIBUTARY_UNPAID_DAYS: setting(
    whole(0, 365),
    '14',
    'Days that an invoice can be unpaid before the limits of the first plan hold.',
  ),
  TRIBUTARY_PLANS_FILE: setting(
    text.min(1),
    undefined,
    'JSON file with the plans, cheapest first: `currency`, `extra_profiles` in minor units (what each started 10,000 profiles beyond those of a paid plan cost; nothing without it), and `plans` with `name`, `title`, `description`, `monthly` and `annually` in minor units (`null` for a custom price), and `features` (`-1` is unlimited).',
    'free, team, business, and enterprise',
  ),
  TRIBUTARY_PLAN_LIMITS: setting(
    z.enum(['auto', 'on', 'off']),
    'auto',
    'Whether creating sources, destinations, audiences, syncs, and workspaces, and inviting members, is refused beyond the limits of the plan, events beyond those of a free plan are held, and profiles beyond those of a paid plan are billed. `auto` is on when plans can be bought.',
  ),
  TRIBUTARY_PLAN_GRACE_HOURS: setting(
    whole(0, 8760),
    '72',
    'How long an organization can be over the limits of a free plan, or over its cap on additional profiles, before its events are held. It begins anew in each period.',
  ),
  TRIBUTARY_FREE_ORGANIZATIONS: setting(
    whole(0, 100_000),
    '5',
    'How many organizations on the first plan one person can create, where plans limit. `0` is unlimited. Platform admins always are.',
  ),
  TRIBUTARY_CUSTOM_DOMAIN_TARGET: setting(
    text.regex(/^[a-z0-9.-]+$/, 'must be a host name in lower case'),
    undefined,
    'Host name that the CNAME records of custom domains lead to.',
    'the host of the public URL',
  ),
  TRIBUTARY_DNS_SERVERS: setting(
    dnsServers,
    '',
    'DNS servers that are asked for the records of custom domains, such as `1.1.1.1,8.8.8.8:53`.',
    'those of the machine',
  ),
  TRIBUTARY_AUDIT_RETENTION: setting(
    text.min(1),
    undefined,
    'Days that the audit log is kept, by plan, such as `plans/free=90,plans/team=365,*=forever`.',
    'forever; with payments, 90 days on free, 365 on team, 730 on business',
  ),
  TRIBUTARY_DOCUMENTATION_URL: setting(webAddress, undefined, 'Documentation for users.', 'the guides at `/docs`'),
  TRIBUTARY_SUPPORT_EMAIL: setting(
    z.email('must be an email address'),
    undefined,
    'Email address for help.',
    'no link',
  ),
  TRIBUTARY_MESSAGING_APP_ID: setting(
    text.regex(/^[A-Za-z0-9_-]+$/, 'must be letters and digits'),
    undefined,
    'Intercom workspace of the support chat.',
    'no chat; the email link instead',
  ),
  TRIBUTARY_MESSAGING_SECRET: setting(
    text.min(1),
    undefined,
    'Identity verification secret of that workspace, with which the chat verifies users.',
    'none',
  ),
  SENTRY_DSN: setting(
    url('http:', 'https:'),
    undefined,
    'Sentry project that receives the errors of the web application.',
    'no reports',
  ),
  TRIBUTARY_ANALYTICS_WRITE_KEY: setting(
    text.regex(/^[A-Za-z0-9_-]+$/, 'must be a write key'),
    undefined,
    'Write key of a source of this installation that receives usage of the web application.',
    'no usage is sent',
  ),
  TRIBUTARY_ENVIRONMENT: setting(
    z.enum(['production', 'development']),
    'production',
    'With `development`, errors are not reported, and `/dev/outbox` shows emails that are not sent.',
  ),
  TRIBUTARY_LOG_LEVEL: setting(
    z.enum(['debug', 'info', 'warn', 'error']),
    'info',
    'Lowest level to log, as JSON lines on standard output.',
  ),
  TRIBUTARY_EVENT_STORE_MEMORY_MB: setting(
    whole(512),
    String(Math.max(1024, Math.min(4096, Math.floor(totalmem() / MiB / 4)))),
    'Memory the embedded event store can use. Below 1536, inserts are smaller.',
    'a quarter of the memory, 1024 to 4096',
  ),
  TRIBUTARY_WORKSPACE_BACKLOG_MB: setting(
    whole(1),
    '512',
    'Size of unprocessed events of a workspace that is accepted. Beyond it, requests get 429. Processes that collect have equal parts of it.',
  ),
  TRIBUTARY_DISK_RESERVE_MB: setting(
    whole(16),
    '1024',
    'Free space of the data folder. Below it, collection answers 503.',
  ),
  TRIBUTARY_UPLOAD_MAX_MB: setting(
    whole(1),
    '2048',
    'Size of a file that is uploaded as a data source. A workspace can have five times as much.',
  ),
  TRIBUTARY_RETENTION_LOG_HOURS: setting(
    whole(1, maxLogHours, ', so that deleted users are gone from the log within 30 days'),
    '72',
    `How long the log keeps processed events. At most ${maxLogHours}, so that deleted users are gone from it within 30 days.`,
  ),
  TRIBUTARY_STREAM_MAX_MB: setting(
    whole(256),
    '51200',
    'Size of the stream of accepted events on disk. Beyond it, slow consumers lose their place and catch up from stored events. Delivery never does: the stream grows for it.',
  ),
  TRIBUTARY_RETENTION_EVENTS_DAYS: setting(whole(0), '0', 'How long events are kept. `0` keeps them forever.'),
  TRIBUTARY_RETENTION_DELIVERIES_DAYS: setting(
    whole(0),
    '90',
    'How long the delivery log is kept. `0` keeps it forever.',
  ),
  TRIBUTARY_DELIVERY_RETRY_HOURS: setting(
    whole(1, maxRetryHours, ', so that deleted users are gone from the log within 30 days'),
    '24',
    `How long a failed delivery is retried before it becomes a dead letter. At least 4 in production. At most ${maxRetryHours}, so that deleted users are gone from the log within 30 days.`,
  ),
  TRIBUTARY_FLAGS: setting(
    flagChanges,
    '',
    `Features to turn on or off, such as \`custom-domain=off\`: ${switches.map((key) => `\`${key}\` (${flagDefaults[key] ? 'on' : 'off'})`).join(', ')}.`,
    'as built',
  ),
  DATABASE_URL: setting(
    databaseUrl,
    undefined,
    'External PostgreSQL: `postgres://user:password@host:5432/database` or `postgres://user@/database?host=/socket/folder`. The user must be allowed to create schemas in it.',
    'embedded',
  ),
  CLICKHOUSE_URL: setting(
    url('http:', 'https:'),
    undefined,
    'External ClickHouse: `http://user:password@host:8123/database`. The user must be allowed to set `max_execution_time`, `max_memory_usage`, and `max_bytes_to_read`.',
    'embedded',
  ),
  KAFKA_BROKERS: setting(
    brokers,
    undefined,
    'External Kafka (3.1 or later) that holds the log: `kafka-1:9092,kafka-2:9092`. Several processes can collect into it. See [Kafka](operations.md#kafka).',
    'embedded',
  ),
  KAFKA_TOPIC_PREFIX: setting(
    text.regex(/^[\w.-]{1,100}$/, 'must be at most 100 letters, digits, dots, hyphens, and underscores'),
    'tributary',
    'Begins the names of the topics, and of the transactional IDs.',
  ),
  TRIBUTARY_LOST_FOLDER: setting(
    text.min(1),
    undefined,
    'ID of the data folder that used the log on Kafka before and is lost. Only then can a process with another folder take the log over. See [a lost data folder](operations.md#a-lost-data-folder).',
    'none',
  ),
  TRIBUTARY_PARTITION_GROUPS: setting(
    whole(1, 32),
    '1',
    'In how many parts events are processed and delivered: as many processes can share that. The same in all processes that do. See [scaling](scaling.md#share-processing).',
  ),
  KAFKA_TLS: setting(z.enum(['on', 'off'], 'must be on or off'), 'off', 'Whether the brokers are reached by TLS.'),
  KAFKA_TLS_CA_FILE: setting(
    text.min(1),
    undefined,
    "PEM file of the authority that signed the brokers' certificates.",
    'those that Node.js trusts',
  ),
  KAFKA_TLS_CERT_FILE: setting(
    text.min(1),
    undefined,
    'PEM file of the certificate that Tributary shows the brokers, with `KAFKA_TLS_KEY_FILE`.',
    'none',
  ),
  KAFKA_TLS_KEY_FILE: setting(text.min(1), undefined, 'PEM file of the key of that certificate.', 'none'),
  KAFKA_SASL_MECHANISM: setting(
    z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER']),
    undefined,
    'How Tributary signs in to the brokers: `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`, or `OAUTHBEARER`.',
    'no sign-in',
  ),
  KAFKA_SASL_USERNAME: setting(text.min(1), undefined, 'User name, for `PLAIN` and `SCRAM`.', 'none'),
  KAFKA_SASL_PASSWORD: setting(z.string().min(1), undefined, 'Password of that user.', 'none'),
  KAFKA_SASL_TOKEN_URL: setting(
    url('http:', 'https:'),
    undefined,
    'For `OAUTHBEARER`: URL that gives tokens for client credentials (OAuth 2.0).',
    'none',
  ),
  KAFKA_SASL_CLIENT_ID: setting(text.min(1), undefined, 'Client ID for that URL.', 'none'),
  KAFKA_SASL_CLIENT_SECRET: setting(z.string().min(1), undefined, 'Secret of that client.', 'none'),
  KAFKA_SASL_SCOPE: setting(text.min(1), undefined, 'Scope of the tokens.', 'none'),
  BLOBS_S3_BUCKET: setting(
    text.regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i, 'must be the name of a bucket, such as tributary-pictures'),
    undefined,
    'Bucket of S3 or S3-compatible storage that holds uploaded pictures. See [Pictures in a bucket](operations.md#pictures-in-a-bucket).',
    '`blobs/` in the data folder',
  ),
  BLOBS_S3_REGION: setting(
    text.regex(/^[a-z0-9-]+$/i, 'must be a region such as eu-central-1'),
    'us-east-1',
    "The bucket's region. Storage other than AWS often uses `us-east-1` or `auto`.",
  ),
  BLOBS_S3_ENDPOINT: setting(
    webAddress.refine((value) => !/[?#]/.test(value), 'must be a URL without a query'),
    undefined,
    'URL of S3-compatible storage such as MinIO, R2, or Ceph. It can be inside your network.',
    'AWS',
  ),
  BLOBS_S3_ACCESS_KEY_ID: setting(text.min(1), undefined, 'Access key ID of a user of the bucket.', 'none'),
  BLOBS_S3_SECRET_ACCESS_KEY: setting(text.min(1), undefined, 'Secret access key of that user.', 'none'),
  BLOBS_S3_PREFIX: setting(
    text.regex(
      /^(?:(?!\.{1,2}(?:\/|$))[\w.-]{1,100}(?:\/(?!$)|$)){0,5}$/,
      'must be names of letters, digits, dots, hyphens, and underscores, joined by slashes',
    ),
    '',
    'Folder of the bucket that keys begin with, such as `tributary`.',
    'the top of the bucket',
  ),
  BLOBS_S3_PATH_STYLE: setting(
    z.enum(['on', 'off'], 'must be on or off'),
    'off',
    'Whether the bucket is in the path of URLs, as MinIO and Ceph expect: `on` is endpoint/bucket, `off` is bucket.endpoint.',
  ),
  TRIBUTARY_BLOCKED_LOG_SECONDS: setting(
    whole(1, 3600),
    '10',
    'A thread that has not answered for this long is named in the log, with what it does.',
  ),
  TRIBUTARY_BLOCKED_END_SECONDS: setting(
    whole(0, 3600),
    '30',
    'A thread that has not answered for this long is ended and started again; if that is not possible, the process ends with code 1. `0` never ends one.',
  ),
  TRIBUTARY_FAULT: setting(
    text,
    undefined,
    'For crash tests: kills the process at a point, `<point>[:<count>]`, or blocks the thread that works on something, `block:<text>`.',
    'none',
  ),
} satisfies Record<string, Setting>

/** Parsed values of the variables. */
export type SettingValues = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> }

/** The table in docs/configuration.md. */
export const configurationTable = (): string =>
  [
    '| variable | default | what |',
    '| --- | --- | --- |',
    ...Object.entries(settings).map(
      ([name, { shown, help }]) =>
        `| \`${name}\` | ${shown === '' ? '' : /^[\d.:/a-z@]+$/.test(shown) ? `\`${shown}\`` : shown} | ${help} |`,
    ),
  ].join('\n')
