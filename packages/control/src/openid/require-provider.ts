import { AppError } from '@tributary/kernel'
import type { OpenId } from './openid.ts'

/**
 * Returns the configured provider. `google` in the path of a call stands for any provider. Throws 412 if none is
 * configured.
 */
export const requireProvider = (openId: OpenId | undefined, provider: string): OpenId => {
  if (openId !== undefined && (provider === 'google' || provider === openId.settings.provider)) return openId
  throw new AppError(412, 'PROVIDER_NOT_CONFIGURED', 'Third-party sign-in is not set up. Sign in with your email')
}
