import { hmacSha256, sameSignature } from '@tributary/connector-kit'
import { z } from 'zod'
import type { StripeSettings } from './stripe.ts'

/** Maximum age of a signature in seconds (docs.stripe.com/webhooks#replay-attacks). */
const toleranceSeconds = 300

const event = z.object({
  id: z.string(),
  livemode: z.boolean(),
  /** The connected account; absent for events of this account. */
  account: z.string().nullish(),
  data: z.object({
    object: z.object({
      id: z.string(),
      object: z.string(),
      customer: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
    }),
  }),
})

/**
 * Whether Stripe signed these bytes within the allowed time. The header has the form `t=<seconds>,v1=<hex>`, with one
 * `v1` for each valid secret.
 */
export const isSigned = (body: Uint8Array, header: string, secret: string, now: number): boolean => {
  const parts = header
    .slice(0, 2000)
    .split(',')
    .map((part) => part.trim())
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > toleranceSeconds) return false
  const expected = hmacSha256(secret, `${time}.`, body)
  return parts
    .filter((part) => /^v1=[0-9a-f]{64}$/.test(part))
    .slice(0, 10)
    .some((part) => sameSignature(Buffer.from(part.slice(3), 'hex'), expected))
}

/**
 * Returns the customer of a webhook. Returns undefined for a webhook of another account, of the other mode, or without
 * a customer; such a webhook changes nothing. The rest of the webhook is ignored, because the object is read again.
 */
export const customerIn = (body: Uint8Array, { secretKey }: Pick<StripeSettings, 'secretKey'>): string | undefined => {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
  const parsed = event.safeParse(json)
  if (!parsed.success) return undefined
  const { account, livemode, data } = parsed.data
  if (typeof account === 'string' || livemode !== /^[rs]k_live_/.test(secretKey)) return undefined
  const { object, id, customer } = data.object
  if (object === 'customer') return id
  return typeof customer === 'string' ? customer : customer?.id
}
