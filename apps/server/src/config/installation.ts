import type { InstallationPart } from '@tributary/contract'
import type { Config } from './config.ts'

type Part = Omit<InstallationPart, 'key' | 'group' | 'docs'> & { docs?: string }
type Group = InstallationPart['group']

const days = (count: number): string => (count === 1 ? '1 day' : `${count} days`)

/** Returns a part that is off until its first setting is set. */
const optional = (title: string, value: string | undefined, on: string, off: string, settings: string[]): Part =>
  value === undefined || value === ''
    ? { title, state: 'missing', detail: off, settings }
    : { title, state: 'set', detail: on, settings }

/** Returns a part that works by default, or as its setting says. */
const builtIn = (title: string, isSet: boolean, detail: string, settings: string[]): Part => ({
  title,
  state: isSet ? 'set' : 'built_in',
  detail,
  settings,
})

const hostOf = (address: string): string => URL.parse(address)?.host ?? address

const reach = (config: Config): Record<string, Part> => ({
  public_url: optional(
    'Public URL',
    config.publicUrl,
    `Links in emails and setup pages lead to ${config.publicUrl}.`,
    'Links in emails lead to the address that this process listens on.',
    ['TRIBUTARY_PUBLIC_URL'],
  ),
  email: optional(
    'Email',
    config.mail.smtpUrl,
    `Emails are sent by ${hostOf(config.mail.smtpUrl ?? '')} from ${config.mail.from}.`,
    'Passcodes, invitations, and notices are files in the outbox of the data folder. They are not sent.',
    ['SMTP_URL', 'TRIBUTARY_MAIL_FROM'],
  ),
  trusted_proxies: optional(
    'Proxies',
    config.trustedProxies.join(', '),
    `Addresses of callers are read from proxies in ${config.trustedProxies.join(', ')}.`,
    'The address of a connection counts as the caller, also behind a proxy.',
    ['TRIBUTARY_TRUSTED_PROXIES'],
  ),
  custom_domains: optional(
    'Custom domains',
    config.customDomains.target ?? config.publicUrl,
    `Records of custom domains lead to ${config.customDomains.target ?? hostOf(config.publicUrl ?? '')}.`,
    'Custom domains have no target, because no public URL is set.',
    ['TRIBUTARY_CUSTOM_DOMAIN_TARGET', 'TRIBUTARY_PUBLIC_URL'],
  ),
  private_networks: optional(
    'Private networks',
    config.egressAllow.join(', '),
    `Destinations and data sources can reach ${config.egressAllow.join(', ')}.`,
    'Destinations and data sources cannot reach private networks.',
    ['TRIBUTARY_EGRESS_ALLOW'],
  ),
})

const people = (config: Config): Record<string, Part> => ({
  sign_up: builtIn(
    'Sign-up',
    !config.signUpEnabled,
    config.signUpEnabled ? 'Anyone can sign up.' : 'People need an invitation or an onboarding link.',
    ['TRIBUTARY_SIGN_UP'],
  ),
  third_party_sign_in: {
    ...optional(
      'Third-party sign-in',
      config.openId?.clientId,
      `People can sign in with ${config.openId?.displayName}.`,
      'There is no sign-in button of a provider, such as Google.',
      ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER', 'OIDC_DISPLAY_NAME'],
    ),
    docs: 'configuration#third-party-sign-in',
  },
  terms: optional(
    'Terms of service',
    config.links.terms,
    `The sign-up page links ${config.links.terms}.`,
    'The sign-up page has no link to terms.',
    ['TRIBUTARY_TERMS_URL'],
  ),
  privacy: optional(
    'Privacy policy',
    config.links.privacy,
    `The sign-up page links ${config.links.privacy}.`,
    'The sign-up page has no link to a privacy policy.',
    ['TRIBUTARY_PRIVACY_URL'],
  ),
})

const paymentText = {
  none: 'Plans cannot be bought.',
  sandbox: 'The sandbox takes test cards and moves no money.',
  stripe: 'Stripe takes the payments.',
} as const

const billing = (config: Config): Record<string, Part> => ({
  payment: {
    title: 'Payment',
    state: config.billing.payment === 'none' ? 'missing' : 'set',
    detail: paymentText[config.billing.payment],
    settings: [
      'TRIBUTARY_PAYMENT',
      ...(config.billing.payment === 'sandbox'
        ? []
        : ['TRIBUTARY_STRIPE_SECRET_KEY', 'TRIBUTARY_STRIPE_PUBLISHABLE_KEY']),
    ],
    docs: config.billing.payment === 'sandbox' ? 'configuration#the-sandbox' : 'configuration#payments-with-stripe',
  },
  ...(config.billing.payment === 'stripe'
    ? {
        payment_webhook: {
          ...optional(
            'Webhooks of Stripe',
            config.billing.stripe?.webhookSecret,
            'Changes that Stripe makes appear at once.',
            'Changes that Stripe makes appear when someone opens the billing page, and at the end of each period.',
            ['TRIBUTARY_STRIPE_WEBHOOK_SECRET'],
          ),
          docs: 'configuration#payments-with-stripe',
        },
      }
    : {}),
  limits: builtIn(
    'Plan limits',
    config.billing.limits,
    config.billing.limits ? 'Plans limit what can be created and collected.' : 'Nothing is limited by plans.',
    ['TRIBUTARY_PLAN_LIMITS'],
  ),
  pricing: builtIn(
    'Upgrade',
    config.links.pricing !== '',
    config.links.pricing === ''
      ? "Upgrade opens the product's own plans."
      : `Upgrade leads to ${config.links.pricing}.`,
    ['TRIBUTARY_PRICING_URL'],
  ),
  contact_sales: optional(
    'Contact sales',
    config.links.contactSales,
    `Contact Sales leads to ${config.links.contactSales}.`,
    'Contact Sales of the largest plan leads nowhere.',
    ['TRIBUTARY_CONTACT_SALES_URL'],
  ),
})

const help = (config: Config): Record<string, Part> => ({
  documentation: builtIn(
    'Documentation',
    config.links.documentation !== '' && !config.links.documentation.startsWith('/'),
    config.links.documentation === '' || config.links.documentation.startsWith('/')
      ? 'Help leads to the guides of this installation.'
      : `Help leads to ${config.links.documentation}.`,
    ['TRIBUTARY_DOCUMENTATION_URL'],
  ),
  support: optional(
    'Support email',
    config.links.supportEmail,
    `Help leads to ${config.links.supportEmail}.`,
    'Help has no address to write to.',
    ['TRIBUTARY_SUPPORT_EMAIL'],
  ),
  support_chat: optional(
    'Support chat',
    config.messagingAppId,
    'Help opens the chat of Intercom.',
    'Help has no chat.',
    ['TRIBUTARY_MESSAGING_APP_ID', 'TRIBUTARY_MESSAGING_SECRET'],
  ),
  error_reports: optional(
    'Error reports',
    config.sentryDsn,
    `Errors of the web application are sent to ${hostOf(config.sentryDsn ?? '')}.`,
    'Errors of the web application are not reported.',
    ['SENTRY_DSN'],
  ),
  usage: optional(
    'Usage of the web application',
    config.analyticsWriteKey,
    'Usage is collected by a source of this installation.',
    'Usage is not collected.',
    ['TRIBUTARY_ANALYTICS_WRITE_KEY'],
  ),
})

const engines = (config: Config): Record<string, Part> => ({
  relational: {
    ...builtIn(
      'PostgreSQL',
      config.relational.kind === 'remote',
      config.relational.kind === 'remote' ? 'An external server.' : 'Embedded, in the data folder.',
      ['DATABASE_URL'],
    ),
    docs: 'scaling',
  },
  event_store: {
    ...builtIn(
      'Event store',
      config.eventStore.kind === 'remote',
      config.eventStore.kind === 'remote' ? 'An external ClickHouse.' : 'Embedded, in the data folder.',
      ['CLICKHOUSE_URL'],
    ),
    docs: 'scaling',
  },
  log: {
    ...builtIn(
      'Log',
      config.log.kind === 'kafka',
      config.log.kind === 'kafka' ? 'An external Kafka.' : 'Embedded, in the data folder.',
      ['KAFKA_BROKERS'],
    ),
    docs: 'scaling',
  },
  pictures: {
    ...builtIn(
      'Pictures',
      config.blobs.kind === 's3',
      config.blobs.kind === 's3' ? 'In a bucket.' : 'In the data folder.',
      ['BLOBS_S3_BUCKET'],
    ),
    docs: 'operations',
  },
})

const data = (config: Config): Record<string, Part> => ({
  secret_key: builtIn(
    'Secret key',
    config.secretKey !== undefined,
    config.secretKey === undefined
      ? 'In secret.key of the data folder. Without it no credential of a backup can be read: keep a copy elsewhere.'
      : 'Given by the environment.',
    ['TRIBUTARY_SECRET_KEY'],
  ),
  events_kept: builtIn(
    'Events',
    config.retention.eventsDays > 0,
    config.retention.eventsDays > 0 ? `Kept for ${days(config.retention.eventsDays)}.` : 'Kept forever.',
    ['TRIBUTARY_RETENTION_EVENTS_DAYS'],
  ),
  deliveries_kept: builtIn(
    'Delivery log',
    config.retention.deliveriesDays !== 90,
    config.retention.deliveriesDays > 0 ? `Kept for ${days(config.retention.deliveriesDays)}.` : 'Kept forever.',
    ['TRIBUTARY_RETENTION_DELIVERIES_DAYS'],
  ),
})

/** The configuration of an installation, in groups in the order of its page. It contains no secret. */
export const installationPartsOf = (config: Config): InstallationPart[] =>
  (
    [
      ['Reach', reach(config)],
      ['People', people(config)],
      ['Billing', billing(config)],
      ['Help', help(config)],
      ['Engines', engines(config)],
      ['Data', data(config)],
    ] satisfies [Group, Record<string, Part>][]
  ).flatMap(([group, parts]) =>
    Object.entries(parts).map(([key, part]) => ({ key, group, docs: 'configuration', ...part })),
  )
