import { deriveKey } from './secret-key.ts'

/** Credentials with which server libraries of the Pusher protocol publish through the product. */
export type RealtimeCredentials = {
  /** Digits: some libraries take nothing else. */
  appId: string
  /** Public, 20 hexadecimal characters; browsers are given it, too. */
  key: string
  /** Signs subscriptions and calls: for servers alone. */
  secret: string
}

/** The credentials that follow from the product's secret key; a new secret key changes key and secret. */
export const realtimeCredentials = (secretKey: string): RealtimeCredentials => ({
  appId: '1',
  key: deriveKey(secretKey, 'realtime-key', 10).toString('hex'),
  secret: deriveKey(secretKey, 'realtime-secret').toString('hex'),
})
