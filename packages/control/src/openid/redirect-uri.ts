import { badRequest } from '@tributary/kernel'

/** Path of the page to which the sign-in provider sends the browser back. */
const signInPath = '/auth/oauth-callback'

/**
 * Throws 400 unless the return address is exactly a page of this product; by default, that of sign-in. The page must be
 * on the public address, or on the host to which the call was sent.
 */
export const requireOwnRedirectUri = (
  redirectUri: string,
  own: { publicUrl: string; host: string; path?: string },
): void => {
  const returnPath = own.path ?? signInPath
  const url = new URL(redirectUri)
  const isOwn = URL.canParse(own.publicUrl) && url.origin === new URL(own.publicUrl).origin
  const asked = `${url.protocol}//${own.host}`
  const isAsked = /^https?:$/.test(url.protocol) && URL.canParse(asked) && url.host === new URL(asked).host
  if (url.href === `${url.origin}${returnPath}` && (isOwn || isAsked)) return
  const text = `Must be this product's own ${returnPath}`
  throw badRequest('VALIDATION', `redirect_uri: ${text}`, { redirect_uri: text })
}
