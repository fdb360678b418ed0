import { createSign, type KeyObject } from 'node:crypto'
import { ConfigurationError } from '@tributary/connector-kit'
import { accountOf, type SnowflakeAccess } from './account.ts'
import { fingerprintOf, privateKeyOf } from './private-key.ts'

/** The service accepts a token for at most an hour after its issue (…/sql-api/authenticating). */
const validSeconds = 3540
/** The age in ms from which on a new token is signed. */
const renewMs = 30 * 60_000

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const signed = (key: KeyObject, claims: object): string => {
  const content = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`
}

/** Returns the current token, and forgets it if the service refused it. */
export type Tokens = {
  current(): string
  /** Drops the token unless it is new. Returns whether another try has a different token. */
  refused(): boolean
}

/**
 * Creates the tokens of a user, signed with the private key (RS256): issuer `ACCOUNT.USER.SHA256:fingerprint`, subject
 * `ACCOUNT.USER`, in upper case (docs.snowflake.com/en/developer-guide/sql-api/authenticating). `now` is epoch ms.
 * Throws ConfigurationError if the key cannot be read.
 */
export const createTokens = (
  access: Pick<SnowflakeAccess, 'account' | 'user' | 'private_key'>,
  now: () => number = Date.now,
): Tokens => {
  const { key, problem = '' } = privateKeyOf(access.private_key)
  if (key === undefined) throw new ConfigurationError(`The private key cannot be read. ${problem}`)
  const subject = `${accountOf(access.account)?.name ?? ''}.${access.user.trim().toUpperCase()}`
  const issuer = `${subject}.${fingerprintOf(key)}`
  let token: { text: string; at: number } | undefined
  return {
    current() {
      const at = now()
      if (token === undefined || at - token.at > renewMs || at < token.at) {
        const issued = Math.floor(at / 1000)
        const claims = { iss: issuer, sub: subject, iat: issued, exp: issued + validSeconds }
        token = { text: signed(key, claims), at }
      }
      return token.text
    },
    refused() {
      const isOld = token !== undefined && now() - token.at > 60_000
      if (isOld) token = undefined
      return isOld
    },
  }
}
