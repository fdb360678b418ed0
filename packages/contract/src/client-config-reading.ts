import { isJsonObject } from '@tributary/kernel/browser'
import type { ClientConfig } from './client-config.ts'

/**
 * The call that reads the configuration. This file does not import the schema, for pages that need nothing else of the
 * contract.
 */
export const configCall = { name: 'config.get', verb: 'GET', path: '/config' } as const

const hasTexts = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  isJsonObject(value) && names.every((name) => typeof value[name] === 'string')

const links = ['terms', 'privacy', 'pricing', 'contact_sales', 'documentation', 'support_email']
const texts = ['sentry_dsn', 'messaging_app_id', 'analytics_write_key', 'stripe_publishable_key']

/**
 * True when the schema `clientConfig` accepts the value. The check works without Zod, because sign-in pages need Zod
 * for nothing else.
 */
export const isClientConfig = (value: unknown): value is ClientConfig =>
  hasTexts(value, texts) &&
  hasTexts(value.links, links) &&
  typeof value.sign_up_enabled === 'boolean' &&
  typeof value.mail_enabled === 'boolean' &&
  (value.payment === 'none' || value.payment === 'sandbox' || value.payment === 'stripe') &&
  (value.environment === 'production' || value.environment === 'development') &&
  (value.oauth === null || hasTexts(value.oauth, ['provider', 'display_name']))
