import { deriveKey } from './secret-key.ts'

/** Credentials with which server libraries of the Pusher protocol can publish through the product. */
export type RealtimeCredentials = {
  /** Only digits, because some libraries accept nothing else. */
  appId: string
  /** The public key: 20 hexadecimal characters, which browsers also get. */
  key: string
  /** The secret that signs subscriptions and calls; only for servers. */
  secret: string
}

/** Derives the credentials from the product's secret key; a new secret key changes key and secret. */
export const realtimeCredentials = (secretKey: string): RealtimeCredentials => ({
  appId: '1',
  key: deriveKey(secretKey, 'realtime-key', 10).toString('hex'),
  secret: deriveKey(secretKey, 'realtime-secret').toString('hex'),
})
