import { totalmem } from 'node:os'
import { flagDefaults, flagKeys } from '@tributary/kernel'
import { z } from 'zod'
import { isLoopbackHost } from './loopback.ts'

/** The parts of the product that a process runs. */
export const roleNames = ['api', 'collect', 'realtime', 'pipeline', 'delivery', 'jobs'] as const
export type RoleName = (typeof roleNames)[number]

export const MiB = 1024 * 1024

const text = z.string().trim()
const whole = (least: number) =>
  text
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`))
const list = text.transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
/** Sign-up has a setting of its own. */
const switches = flagKeys.filter((key) => key !== 'sign-up-enabled')
const flagChanges = list.refine(
  (values) => values.every((value) => switches.some((key) => value === `${key}=on` || value === `${key}=off`)),
  `must be some of ${switches.map((key) => `${key}=on or =off`).join(', ')}, separated by commas`,
)
const url = (...protocols: string[]) =>
  text.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })
/** As `url`; the host may be missing when a parameter names the folder of a Unix socket, as libpq allows. */
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
 * Every variable the product reads, in the order of the documented table. A variable without a fallback is optional.
 * `npm run check` compares docs/configuration.md with it.
 */
export const settings = {
  PORT: setting(
    whole(0).pipe(z.number().max(65_535)),
    '3000',
    'Port of everything: web application, API, collection, realtime. 0 takes a free one.',
  ),
  HOST: setting(text.min(1), '127.0.0.1', 'Address to listen on. `0.0.0.0` for all; put TLS in front.'),
  TRIBUTARY_PUBLIC_URL: setting(
    url('http:', 'https:'),
    undefined,
    'Address under which browsers and SDKs reach the product, when a proxy stands in front; links in mail begin with it.',
    'the address of the request; in mail, the one listened on',
  ),
  TRIBUTARY_DATA_DIR: setting(
    text.min(1),
    './data',
    'Folder of every embedded engine, the log, blobs and the secret key. A relative path counts from where you run npm; the default is in the checkout.',
  ),
  TRIBUTARY_ROLES: setting(
    list.pipe(z.array(z.enum(['all', ...roleNames])).min(1)),
    'all',
    `Parts that this process runs: \`all\`, or some of ${roleNames.map((role) => `\`${role}\``).join(', ')}.`,
  ),
  TRIBUTARY_ADMIN_EMAIL: setting(
    z.email('must be an e-mail address'),
    'admin@tributary.local',
    'Platform admin made at the first start.',
  ),
  TRIBUTARY_ADMIN_PASSWORD: setting(
    z.string().min(8, 'must have at least 8 characters'),
    undefined,
    'Its password, used when it is made; `npm run admin-password` sets another one later.',
    'generated, printed once',
  ),
  TRIBUTARY_SECRET_KEY: setting(
    text.min(32, 'must have at least 32 characters'),
    undefined,
    'Key that encrypts credentials and signs tokens.',
    '`secret.key` in the data folder, made at the first start',
  ),
  TRIBUTARY_METRICS_TOKEN: setting(
    text.regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible characters'),
    undefined,
    'What `/metrics` asks for as `Authorization: Bearer`, wherever it is asked from.',
    '`metrics.token` in the data folder, made at the first start',
  ),
  SMTP_URL: setting(
    url('smtp:', 'smtps:'),
    undefined,
    'Mail server to send with: `smtp://user:password@host:587` or `smtps://user:password@host:465`.',
    'each mail is a file in `outbox/` of the data folder',
  ),
  TRIBUTARY_MAIL_FROM: setting(
    text.regex(/^([^<>\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u, 'must be an address, or Name <address>'),
    'Tributary <no-reply@tributary.local>',
    'Sender of mail.',
    '`Tributary <no-reply@tributary.local>`',
  ),
  TRIBUTARY_EGRESS_ALLOW: setting(
    networks,
    '',
    'Networks beyond public addresses that destinations may reach, e.g. `127.0.0.0/8,10.0.0.0/8`. The metadata addresses of clouds stay closed whatever it says.',
    'none',
  ),
  TRIBUTARY_TRUSTED_PROXIES: setting(networks, '', 'Proxies whose `X-Forwarded-For` is believed.', 'none'),
  TRIBUTARY_SIGN_UP: setting(
    z.enum(['on', 'off'], 'must be on or off'),
    'on',
    'Whether people may make accounts by themselves; with `off` only who is invited or onboarded gets one.',
  ),
  OIDC_ISSUER: setting(
    issuer,
    undefined,
    'Issuer of the third-party sign-in (OpenID Connect), e.g. `https://login.example.com/realms/main`.',
    '`https://accounts.google.com` once a client id is set',
  ),
  OIDC_CLIENT_ID: setting(
    text.min(1),
    undefined,
    'Client that is registered there, with the redirect address `<address of the product>/auth/oauth-callback`.',
    'no third-party sign-in',
  ),
  OIDC_CLIENT_SECRET: setting(text.min(1), undefined, 'Its secret.', 'a client without one'),
  OIDC_DISPLAY_NAME: setting(
    text.min(1),
    undefined,
    'What the sign-in button calls the provider.',
    "Google, or the issuer's host",
  ),
  TRIBUTARY_TERMS_URL: setting(webAddress, undefined, 'Terms of service, linked where people sign up.', 'no link'),
  TRIBUTARY_PRIVACY_URL: setting(webAddress, undefined, 'Privacy policy, linked where people sign up.', 'no link'),
  TRIBUTARY_PRICING_URL: setting(
    webAddress,
    undefined,
    'Pricing page that administrators on the free plan are led to.',
    'no link',
  ),
  TRIBUTARY_CONTACT_SALES_URL: setting(webAddress, undefined, 'Where sales is asked.', 'no link'),
  TRIBUTARY_DOCUMENTATION_URL: setting(
    webAddress,
    undefined,
    'Documentation for users.',
    'the guides that the product shows at `/docs`',
  ),
  TRIBUTARY_SUPPORT_EMAIL: setting(
    z.email('must be an e-mail address'),
    undefined,
    'Address that users write to for help.',
    'no link',
  ),
  TRIBUTARY_MESSAGING_APP_ID: setting(
    text.regex(/^[A-Za-z0-9_-]+$/, 'must be letters and digits'),
    undefined,
    'Intercom workspace of the support chat.',
    'no chat: a mail link',
  ),
  TRIBUTARY_MESSAGING_SECRET: setting(
    text.min(1),
    undefined,
    'Identity verification secret of that workspace: with it the chat knows that users are who they say.',
    'none',
  ),
  SENTRY_DSN: setting(url('http:', 'https:'), undefined, 'Where the web application reports its errors.', 'no reports'),
  TRIBUTARY_ANALYTICS_WRITE_KEY: setting(
    text.regex(/^[A-Za-z0-9_-]+$/, 'must be a write key'),
    undefined,
    'Write key of the source of this installation that usage of the web application is sent to.',
    'no usage is sent',
  ),
  TRIBUTARY_ENVIRONMENT: setting(
    z.enum(['production', 'development']),
    'production',
    'What the web application believes to run in; errors of `development` are not reported, and `/dev/outbox` shows mail that is not sent.',
  ),
  TRIBUTARY_LOG_LEVEL: setting(
    z.enum(['debug', 'info', 'warn', 'error']),
    'info',
    'Least level that is logged (JSON lines on standard output).',
  ),
  TRIBUTARY_EVENT_STORE_MEMORY_MB: setting(
    whole(512),
    String(Math.max(1024, Math.min(4096, Math.floor(totalmem() / MiB / 4)))),
    'Memory the embedded event store may use. The size of inserts follows from it below 1536.',
    'a quarter of the memory, 1024 to 4096',
  ),
  TRIBUTARY_WORKSPACE_BACKLOG_MB: setting(
    whole(1),
    '512',
    'Accepted but unprocessed bytes of one workspace beyond which it is answered 429.',
  ),
  TRIBUTARY_DISK_RESERVE_MB: setting(
    whole(16),
    '1024',
    'Free space of the data folder below which collection answers 503.',
  ),
  TRIBUTARY_RETENTION_LOG_HOURS: setting(whole(1), '72', 'How long the log keeps what is processed.'),
  TRIBUTARY_STREAM_MAX_MB: setting(
    whole(256),
    '51200',
    'Size of the stream of accepted events on disk. Beyond it consumers that are behind lose their place and catch up from stored events; delivery never does, for it the stream grows on.',
  ),
  TRIBUTARY_RETENTION_EVENTS_DAYS: setting(whole(0), '0', 'How long events are kept; 0 for ever.'),
  TRIBUTARY_RETENTION_DELIVERIES_DAYS: setting(whole(0), '90', 'How long the delivery log is kept; 0 for ever.'),
  TRIBUTARY_DELIVERY_RETRY_HOURS: setting(
    whole(1),
    '24',
    'How long a failing delivery is tried again before it becomes a dead letter; at least 4 in production.',
  ),
  TRIBUTARY_FLAGS: setting(
    flagChanges,
    '',
    `Parts of the product switched on or off, e.g. \`custom-domain=off\`: ${switches.map((key) => `\`${key}\` (${flagDefaults[key] ? 'on' : 'off'})`).join(', ')}.`,
    'as built',
  ),
  DATABASE_URL: setting(
    databaseUrl,
    undefined,
    'PostgreSQL to use: `postgres://user:password@host:5432/database` or `postgres://user@/database?host=/socket/folder`.',
    'embedded',
  ),
  CLICKHOUSE_URL: setting(
    url('http:', 'https:'),
    undefined,
    'ClickHouse to use, with user, password and database: `http://user:password@host:8123/database`. The user may set `max_execution_time`, `max_memory_usage` and `max_bytes_to_read`, which each query carries.',
    'embedded',
  ),
  TRIBUTARY_FAULT: setting(
    text,
    undefined,
    'For crash tests: kills the process at a named point, `<point>[:<count>]`.',
    'none',
  ),
} satisfies Record<string, Setting>

/** What the variables are read to. */
export type SettingValues = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> }

/** The table of docs/configuration.md. */
export const configurationTable = (): string =>
  [
    '| variable | default | what |',
    '| --- | --- | --- |',
    ...Object.entries(settings).map(
      ([name, { shown, help }]) =>
        `| \`${name}\` | ${shown === '' ? '' : /^[\d.:/a-z@]+$/.test(shown) ? `\`${shown}\`` : shown} | ${help} |`,
    ),
  ].join('\n')
