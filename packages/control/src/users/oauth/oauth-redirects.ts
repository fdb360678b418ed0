import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import type { OpenId } from '../../openid/openid.ts'
import { requireOwnRedirectUri } from '../../openid/redirect-uri.ts'
import { requireProvider } from '../../openid/require-provider.ts'

/**
 * Returns the address for a third-party sign-in. Stores nothing, because the values in the browser suffice to complete
 * the sign-in.
 */
export const oauthRedirects =
  ({
    identityProvider,
    publicUrl,
  }: Pick<ControlDeps, 'publicUrl'> & { identityProvider: OpenId | undefined }): Handler<
    typeof methods.users.oauthRedirects
  > =>
  async ({ query, client }) => {
    const provider = requireProvider(identityProvider, query.provider)
    requireOwnRedirectUri(query.redirect_uri, { publicUrl: publicUrl(), host: client.host })
    return {
      google_redirect_url: await provider.signInUrl({
        redirectUri: query.redirect_uri,
        state: query.state,
        codeChallenge: query.code_challenge,
      }),
    }
  }
