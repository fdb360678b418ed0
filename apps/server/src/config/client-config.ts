import type { ClientConfig } from '@tributary/contract'
import type { Config } from './config.ts'

/**
 * The part of the configuration that the web application receives: addresses and public identifiers, never a secret.
 */
export const clientConfigOf = (
  config: Pick<
    Config,
    | 'signUpEnabled'
    | 'openId'
    | 'links'
    | 'sentryDsn'
    | 'environment'
    | 'messagingAppId'
    | 'analyticsWriteKey'
    | 'mail'
    | 'billing'
  >,
): ClientConfig => ({
  sign_up_enabled: config.signUpEnabled,
  oauth:
    config.openId === undefined ? null : { provider: config.openId.provider, display_name: config.openId.displayName },
  links: {
    terms: config.links.terms,
    privacy: config.links.privacy,
    pricing: config.links.pricing,
    contact_sales: config.links.contactSales,
    documentation: config.links.documentation,
    support_email: config.links.supportEmail,
  },
  sentry_dsn: config.sentryDsn ?? '',
  environment: config.environment,
  messaging_app_id: config.messagingAppId ?? '',
  analytics_write_key: config.analyticsWriteKey ?? '',
  payment: config.billing.payment,
  stripe_publishable_key: config.billing.stripe?.publishableKey ?? '',
  mail_enabled: config.mail.smtpUrl !== undefined,
})
