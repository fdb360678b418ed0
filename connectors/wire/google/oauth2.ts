import { type OAuth2Client, setting } from '@tributary/connector-kit'

/** The settings of the OAuth client that users registered at Google. */
export const googleClientSettings = {
  client_id: setting.text({
    label: 'Client ID',
    help: 'Of an OAuth client of the type web application in Google Cloud.',
    required: true,
  }),
  client_secret: setting.secret({
    label: 'Client secret',
    help: 'Of the same OAuth client. Stored encrypted.',
    required: true,
    // The secret is always sent to oauth2.googleapis.com, whatever the settings are.
    sentTo: [],
  }),
}

/**
 * Returns the client that the user registered at Google (developers.google.com/identity/protocols/oauth2/web-server).
 * Google sends a refresh token with `access_type=offline`, and sends it again only after a new consent.
 */
export const googleClient = (
  given: { client_id?: string; client_secret?: string },
  { scope, origin }: { scope: string; origin: string },
): OAuth2Client => ({
  authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  tokensSentTo: [origin],
  clientId: given.client_id ?? '',
  clientSecret: given.client_secret ?? '',
  clientAuthentication: 'body',
  scopes: ['openid', 'email', scope],
  extraAuthorizeParameters: { access_type: 'offline', prompt: 'consent' },
})
