import { totalmem } from 'node:os'
import { flagDefaults } from '@tributary/kernel'
import { z } from 'zod'
import { engineSettings } from './engine-settings.ts'
import {
  dnsServers,
  flagChanges,
  issuer,
  list,
  maxLogHours,
  maxRetryHours,
  networks,
  type Setting,
  setting,
  switches,
  text,
  url,
  webAddress,
  whole,
} from './setting-schemas.ts'

/** The parts of the product that a process runs. */
export const roleNames = ['api', 'collect', 'realtime', 'pipeline', 'delivery', 'profiles', 'jobs'] as const
export type RoleName = (typeof roleNames)[number]

export const MiB = 1024 * 1024

/**
 * Every variable that the product reads, in the order of the documented table. A variable without a fallback is
 * optional. `npm run check` compares docs/configuration.md with this list.
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
  TRIBUTARY_PROFILE_WAIT_SECONDS: setting(
    whole(0, 300),
    '30',
    'How long an event waits until profiles have read it, if a mapping or signal uses the profile. Then it is sent with the profile as it is by then. `0` never waits.',
  ),
  TRIBUTARY_FLAGS: setting(
    flagChanges,
    '',
    `Features to turn on or off, such as \`custom-domain=off\`: ${switches.map((key) => `\`${key}\` (${flagDefaults[key] ? 'on' : 'off'})`).join(', ')}.`,
    'as built',
  ),
  ...engineSettings,
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
