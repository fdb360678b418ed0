import { AppError } from '@tributary/kernel'
import type { OpenId } from './openid.ts'

/** The configured provider; `google` is the call's own name for whichever it is. Throws 412 if there is none. */
export const requireProvider = (openId: OpenId | undefined, provider: string): OpenId => {
  if (openId !== undefined && (provider === 'google' || provider === openId.settings.provider)) return openId
  throw new AppError(412, 'PROVIDER_NOT_CONFIGURED', 'Third-party sign-in is not set up. Sign in with your email')
}
