import { z } from 'zod'
import { staff } from '../api/access.ts'
import { empty, errors, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** An onboarding link as platform admins see it; its token is shown once, when it is made. */
export const onboarding = z.object({
  /** `onboardings/{id}`. */
  name: z.string(),
  email: z.string(),
  /** Display name of the organization. */
  organization: z.string(),
  setup_amount: z.string(),
  yearly_amount: z.string(),
  create_time: time,
  expire_time: time,
  state: z.enum(['open', 'completed', 'revoked', 'expired']),
  /**
   * URL of the invoice for the set-up fee. Empty without a set-up fee or a payment provider, and until the provider
   * responds.
   */
  invoice_url: z.string(),
})
export type Onboarding = z.infer<typeof onboarding>

export const onboardings = {
  list: defineMethod({
    name: 'onboardings.list',
    verb: 'GET',
    path: '/onboardings',
    access: staff,
    summary: 'Lists onboarding links, newest first, 100 at most. Platform admins only.',
    response: z.object({ onboardings: z.array(onboarding) }),
    errors: [errors.forbidden],
  }),
  revoke: defineMethod({
    name: 'onboardings.revoke',
    verb: 'POST',
    path: '/onboardings/{onboarding}:revoke',
    access: staff,
    summary: 'Revokes an onboarding link that is open, and voids its set-up invoice. Platform admins only.',
    request: empty,
    response: onboarding,
    errors: [errors.forbidden, errors.notFound],
  }),
}
