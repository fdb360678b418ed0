import { type OAuth2Client, setting } from '@tributary/connector-kit'
import type { WebhookSettings } from './settings.ts'

const showWhen = { field: 'authentication', value: 'oauth2' } as const

/**
 * The settings for the credentials of requests, in addition to headers. Users can enter the values for OAuth 2 later,
 * because only connecting requires them.
 */
export const authenticationSettings = {
  authentication: setting.choice({
    label: 'Authentication',
    help: 'OAuth 2: someone signs in to the provider, and each request carries an access token that renews automatically.',
    required: true,
    default: 'none',
    choices: [
      { value: 'none', label: 'None or headers' },
      { value: 'oauth2', label: 'OAuth 2' },
    ],
  }),
  oauth_authorize_url: setting.url({
    label: 'Authorize URL',
    help: 'Where users grant access. Can include parameters such as access_type=offline.',
    showWhen,
  }),
  oauth_token_url: setting.url({ label: 'Token URL', help: 'Where tokens are issued and renewed.', showWhen }),
  oauth_client_id: setting.text({
    label: 'Client ID',
    help: 'From the application you registered with the provider.',
    showWhen,
  }),
  oauth_client_secret: setting.secret({
    label: 'Client secret',
    help: 'Leave empty for a public client. Stored encrypted.',
    // The whole URL is compared, because one server can issue tokens for many tenants, each at its own path.
    sentTo: [{ setting: 'oauth_token_url', by: 'value' }],
    showWhen,
  }),
  oauth_client_authentication: setting.choice({
    label: 'Send the client secret',
    help: 'Most providers accept either.',
    required: true,
    default: 'basic',
    choices: [
      { value: 'basic', label: 'In the Authorization header' },
      { value: 'body', label: 'In the body' },
    ],
    showWhen,
  }),
  oauth_scope: setting.text({
    label: 'Scope',
    help: 'Scopes to request, separated by spaces. Many providers renew access only with offline_access.',
    showWhen,
  }),
  oauth_audience: setting.text({
    label: 'Audience',
    help: 'The API to access, if the provider requires it.',
    showWhen,
  }),
}

/** Returns the client that the user registered, if the authentication is OAuth 2. */
export const oauth2 = (settings: Partial<WebhookSettings>): OAuth2Client | undefined => {
  if (settings.authentication !== 'oauth2') return undefined
  const { oauth_audience: audience, oauth_scope: scope = '' } = settings
  return {
    authorizeUrl: settings.oauth_authorize_url ?? '',
    tokenUrl: settings.oauth_token_url ?? '',
    tokensSentTo: [URL.parse(settings.url ?? '')?.origin ?? ''],
    clientId: settings.oauth_client_id ?? '',
    clientSecret: settings.oauth_client_secret ?? '',
    clientAuthentication: settings.oauth_client_authentication ?? 'basic',
    scopes: scope.split(/\s+/).filter((each) => each !== ''),
    ...(audience === undefined ? {} : { extraAuthorizeParameters: { audience } }),
  }
}
