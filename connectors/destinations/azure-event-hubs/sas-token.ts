import { createHmac } from 'node:crypto'

/** Lifetime of a token, as in Microsoft's own client (@azure/core-amqp 4.5.1, `SasTokenProviderImpl`). */
const lifetimeSeconds = 3600

/**
 * Returns a token for a resource, which the key of a shared access policy signs ("Generate SAS token"); `now` is epoch
 * ms.
 */
export const sasToken = (resource: string, policy: { name: string; key: string }, now: number): string => {
  const encoded = encodeURIComponent(resource)
  const expiry = Math.floor(now / 1000) + lifetimeSeconds
  const signature = createHmac('sha256', policy.key).update(`${encoded}\n${expiry}`).digest('base64')
  const name = encodeURIComponent(policy.name)
  return `SharedAccessSignature sr=${encoded}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${name}`
}
