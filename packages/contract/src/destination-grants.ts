import { z } from 'zod'
import { errors, time } from './fields.ts'

/** What a destination was permitted where its events go, by OAuth 2. Its tokens are never shown. */
export const destinationGrant = z.object({
  /** `expired`: it has to be connected anew, and events for it are held until then. */
  status: z.enum(['none', 'connected', 'expired']),
  /** Who permitted it, as the other side names them; empty when it does not. */
  account: z.string(),
  connect_time: time.nullable(),
  /** Why it expired, or why it could not be renewed the last time; empty when all is well. */
  error: z.string(),
  /** What has to be filled in before it can be connected, in words; empty when nothing. */
  missing: z.string(),
})
export type DestinationGrant = z.infer<typeof destinationGrant>

/** How long a person may take to permit it, ms. */
export const consentMs = 10 * 60_000

/** Path of the page of the web application to which people come back from giving permission to a destination. */
export const destinationReturnPath = '/destination-oauth-callback'

const refused = {
  code: 400,
  reason: 'PROVIDER_REFUSED',
  when: 'The other side gives no tokens; the message says what it answers.',
} as const

/** The parts of the methods by which a destination is connected and disconnected. */
export const grantMethods = {
  connect: {
    summary:
      'Begins to ask for permission: the address to open in a browser. It comes back to `redirect_uri` with a code and the state, with which `:completeConnect` is called within ten minutes by the same user.',
    request: z.object({ redirect_uri: z.url('Must be an address').max(2000) }),
    response: z.object({ authorize_url: z.string(), expire_time: time }),
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'The address is not the page of this product, or settings are missing.',
      },
      errors.forbidden,
      errors.notFound,
    ],
  },
  completeConnect: {
    summary: 'Ends it: takes the code that came back for tokens and keeps them. A state serves once.',
    request: z.object({ code: z.string().min(1, 'Required').max(4096), state: z.string().min(1, 'Required').max(400) }),
    errors: [
      {
        code: 400,
        reason: 'CONSENT_UNKNOWN',
        when: 'The state was not given to this user for this destination, was used before, or is too old.',
      },
      refused,
      errors.forbidden,
      errors.notFound,
      errors.unavailable,
    ],
  },
  disconnect: {
    summary: 'Forgets the permission and its tokens. Events are held until it is connected again.',
    request: z.object({}),
    errors: [errors.forbidden, errors.notFound],
  },
} as const
