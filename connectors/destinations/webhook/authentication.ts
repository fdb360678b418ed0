import type { FieldDefinition, OAuth2Client, Settings } from '@tributary/connector-kit'

const own = { required: false, secret: false, editable: true } as const
const showWhen = { field: 'authentication', value: 'oauth2' } as const

/** How requests say who sends them, beside headers. What OAuth 2 needs may be filled in later: it is asked for to connect. */
export const authenticationFields: readonly FieldDefinition[] = [
  {
    ...own,
    name: 'authentication',
    label: 'Authentication',
    help: 'OAuth 2: someone signs in to the provider, and each request carries an access token that renews automatically.',
    type: 'select',
    required: true,
    default: 'none',
    choices: [
      { value: 'none', label: 'None or headers' },
      { value: 'oauth2', label: 'OAuth 2' },
    ],
  },
  {
    ...own,
    name: 'oauth_authorize_url',
    label: 'Authorize URL',
    help: 'Where users grant access. Can include parameters such as access_type=offline.',
    type: 'url',
    showWhen,
  },
  {
    ...own,
    name: 'oauth_token_url',
    label: 'Token URL',
    help: 'Where tokens are issued and renewed.',
    type: 'url',
    showWhen,
  },
  {
    ...own,
    name: 'oauth_client_id',
    label: 'Client ID',
    help: 'From the application you registered with the provider.',
    type: 'string',
    showWhen,
  },
  {
    ...own,
    name: 'oauth_client_secret',
    label: 'Client secret',
    help: 'Leave empty for a public client. Stored encrypted.',
    type: 'secret',
    secret: true,
    // The whole address: one server may give tokens for many tenants, each at a path of its own.
    sentTo: [{ setting: 'oauth_token_url', by: 'value' }],
    showWhen,
  },
  {
    ...own,
    name: 'oauth_client_authentication',
    label: 'Send the client secret',
    help: 'Most providers accept either.',
    type: 'select',
    required: true,
    default: 'basic',
    choices: [
      { value: 'basic', label: 'In the Authorization header' },
      { value: 'body', label: 'In the body' },
    ],
    showWhen,
  },
  {
    ...own,
    name: 'oauth_scope',
    label: 'Scope',
    help: 'Scopes to request, separated by spaces. Many providers renew access only with offline_access.',
    type: 'string',
    showWhen,
  },
  {
    ...own,
    name: 'oauth_audience',
    label: 'Audience',
    help: 'The API to access, if the provider requires it.',
    type: 'string',
    showWhen,
  },
]

const text = (value: Settings[string]): string => (typeof value === 'string' ? value : '')

/** What the user has registered it as, when its authentication is OAuth 2. */
export const oauth2 = (settings: Settings): OAuth2Client | undefined => {
  if (settings.authentication !== 'oauth2') return undefined
  const audience = text(settings.oauth_audience)
  return {
    authorizeUrl: text(settings.oauth_authorize_url),
    tokenUrl: text(settings.oauth_token_url),
    tokensSentTo: [URL.parse(text(settings.url))?.origin ?? ''],
    clientId: text(settings.oauth_client_id),
    clientSecret: text(settings.oauth_client_secret),
    clientAuthentication: settings.oauth_client_authentication === 'body' ? 'body' : 'basic',
    scopes: text(settings.oauth_scope)
      .split(/\s+/)
      .filter((scope) => scope !== ''),
    ...(audience === '' ? {} : { extraAuthorizeParameters: { audience } }),
  }
}
