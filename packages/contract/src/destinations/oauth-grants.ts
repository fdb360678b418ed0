import { z } from 'zod'
import { errors, time } from '../api/fields.ts'

/** The OAuth 2 grant of a destination. Its tokens are never shown. */
export const oauthGrant = z.object({
  /** `expired`: a user must connect the destination again, and its events are held until then. */
  status: z.enum(['none', 'connected', 'expired']),
  /** The account that gave the grant, as the vendor names it; empty if the vendor gives no name. */
  account: z.string(),
  connect_time: time.nullable(),
  /** Why the grant expired, or why the last renewal failed; empty otherwise. */
  error: z.string(),
  /** The settings to enter before the destination can be connected, as a sentence; empty when complete. */
  missing: z.string(),
})
export type OAuthGrant = z.infer<typeof oauthGrant>

/** Maximum time that a person can take to grant access, in ms. */
export const consentMs = 10 * 60_000

/** Path of the page to which the vendor returns a person after OAuth 2 consent. */
export const destinationReturnPath = '/destination-oauth-callback'

const refused = {
  code: 400,
  reason: 'PROVIDER_REFUSED',
  when: 'The provider returned no tokens; the message has its response.',
} as const

/** The methods that connect and disconnect a destination, each with its path and errors. */
export const grantMethods = {
  connect: {
    summary:
      'Starts an OAuth connection and returns the URL to open in a browser. The provider redirects to `redirect_uri` with a code and state; the same user passes them to `:completeConnect` within ten minutes.',
    request: z.object({ redirect_uri: z.url('Must be an address').max(2000) }),
    response: z.object({ authorize_url: z.string(), expire_time: time }),
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: "The redirect URI is not this product's page, or settings are missing.",
      },
      errors.forbidden,
      errors.notFound,
    ],
  },
  completeConnect: {
    summary:
      'Completes an OAuth connection: exchanges the returned code for tokens and stores them. A state can be used once.',
    request: z.object({ code: z.string().min(1, 'Required').max(4096), state: z.string().min(1, 'Required').max(400) }),
    errors: [
      {
        code: 400,
        reason: 'CONSENT_UNKNOWN',
        when: 'The state belongs to another user or destination, was used, or has expired.',
      },
      refused,
      errors.forbidden,
      errors.notFound,
      errors.unavailable,
    ],
  },
  disconnect: {
    summary: 'Deletes the OAuth connection and its tokens. Events are held until it is reconnected.',
    request: z.object({}),
    errors: [errors.forbidden, errors.notFound],
  },
} as const
