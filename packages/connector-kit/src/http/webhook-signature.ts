import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookRefusal } from '../definition/source-definition.ts'

/** Returns the HMAC-SHA256 of the concatenated parts. */
export const hmacSha256 = (secret: string, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** Compares two signatures in constant time. */
export const sameSignature = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const unauthorized = (reason: string, message: string): WebhookRefusal => ({ code: 401, reason, message })

/** The rejections that all signed webhooks share; `vendor` is the sender's name for users. */
export const signatureRefusals = {
  secretNotSet: (vendor: string): WebhookRefusal =>
    unauthorized(
      'SIGNING_SECRET_NOT_SET',
      `This source has no signing secret yet. Copy it from ${vendor} into the source's settings. Until then, every webhook is refused.`,
    ),
  missing: (header: string): WebhookRefusal =>
    unauthorized('SIGNATURE_MISSING', `The call is not signed. It has no valid \`${header}\` header.`),
  invalid: (vendor: string): WebhookRefusal =>
    unauthorized(
      'SIGNATURE_INVALID',
      `The signature does not match the body. Compare the signing secret in the source's settings with the one at ${vendor}. If they match, the call was changed in transit.`,
    ),
  expired: (minutes: number): WebhookRefusal =>
    unauthorized(
      'SIGNATURE_EXPIRED',
      `The call was signed more than ${minutes} minutes ago. If it came directly from the sender, check this server's clock.`,
    ),
} as const
