import type { Config } from '../config/config.ts'

/** Other origins that a page may use, by policy directive. */
export type PolicySources = Readonly<Record<string, readonly string[]>>

/** Sources that the support chat's page loads, by Intercom's page "Using Intercom with Content Security Policy". */
const chat: PolicySources = {
  'script-src': ['https://app.intercom.io', 'https://widget.intercom.io', 'https://js.intercomcdn.com'],
  'connect-src': [
    'https://api-iam.intercom.io',
    'https://api-ping.intercom.io',
    'https://uploads.intercomcdn.com',
    'https://nexus-websocket-a.intercom.io',
    'https://nexus-websocket-b.intercom.io',
    'wss://nexus-websocket-a.intercom.io',
    'wss://nexus-websocket-b.intercom.io',
  ],
  'font-src': ['https://js.intercomcdn.com', 'https://fonts.intercomcdn.com'],
  'img-src': ['https://js.intercomcdn.com', 'https://static.intercomassets.com', 'https://downloads.intercomcdn.com'],
  'media-src': ['https://js.intercomcdn.com'],
  'frame-src': ['https://intercom-sheets.com'],
}

/** Sources that the card form of Stripe loads, by docs.stripe.com/security/guide, "Content Security Policy". */
const cards: PolicySources = {
  'script-src': ['https://js.stripe.com', 'https://*.js.stripe.com'],
  'connect-src': ['https://api.stripe.com'],
  'frame-src': ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
}

/** Origins that the configuration requires: for error reports, the support chat, and the card form. */
export const contentPolicySources = ({
  sentryDsn,
  messagingAppId,
  billing,
}: Pick<Config, 'sentryDsn' | 'messagingAppId' | 'billing'>): PolicySources => {
  const sources: Record<string, readonly string[]> = messagingAppId === undefined ? {} : { ...chat }
  if (billing.stripe !== undefined)
    for (const [name, added] of Object.entries(cards)) sources[name] = [...(sources[name] ?? []), ...added]
  if (sentryDsn !== undefined) sources['connect-src'] = [...(sources['connect-src'] ?? []), new URL(sentryDsn).origin]
  return sources
}

/** The content policy of the web application's pages: their own files, inline scripts by hash, and `sources`. */
export const contentPolicy = (inlineHashes: readonly string[], sources: PolicySources): string => {
  const directives: Record<string, readonly string[]> = {
    'default-src': ["'self'"],
    'script-src': ["'self'", ...inlineHashes],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    // 'self' includes sockets of the same origin (CSP 3). With ws: and wss:, an injected script could send data to any
    // server.
    'connect-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  }
  for (const [name, added] of Object.entries(sources))
    directives[name] = [...(directives[name] ?? ["'self'"]), ...added]
  return Object.entries(directives)
    .map(([name, values]) => [name, ...values].join(' '))
    .join('; ')
}
