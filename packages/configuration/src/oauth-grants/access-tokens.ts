import { setTimeout as pause } from 'node:timers/promises'
import type { Announce, Db, LiveChannel, Tx } from '@tributary/api-kit'
import {
  ConfigurationError,
  DeliveryError,
  GrantRefusedError,
  type GrantTokens,
  grantProblem,
  type OAuth2Client,
  type RequestClient,
  RetryableError,
  renewTokens,
  revokedText,
} from '@tributary/connector-kit'
import { type Clock, type Logger, newId, type SecretBox, SecretBoxError } from '@tributary/kernel'
import { sql } from 'kysely'
import { z } from 'zod'
import { expireGrant } from './expire.ts'
import { type GrantRow, grantState, tokensContext } from './grants.ts'

export type AccessTokenDeps = {
  db: Db
  secretBox: SecretBox
  requestClient: Pick<RequestClient, 'request'>
  live: LiveChannel
  clock: Clock
  logger: Logger
}

export type AskForToken = {
  client: OAuth2Client
  /**
   * The grant whose token is needed. A cached token of another grant is not returned. If undefined, the grant is read
   * again.
   */
  grantId?: string | undefined
  /** A token that was refused with 401. */
  refused?: string | undefined
  /** Whether the refused token had already been renewed for the same request. */
  again?: boolean | undefined
}

/**
 * Returns the current token of a destination's grant. Throws ConfigurationError if no token can work, and
 * RetryableError if no token is available now.
 */
export type AccessTokens = (destinationId: string, ask: AskForToken) => Promise<string>

/**
 * Duration of a lease in seconds. It is longer than any request for a token, so a process that takes longer has died.
 */
const leaseSeconds = 30
/**
 * Maximum age of a token, ms, that was renewed for a request. If such a token is still refused, its grant is invalid.
 */
const freshMs = 20_000
/** Maximum time in ms to wait for another process or thread that renews the token. */
const patienceMs = 35_000
const pollMs = 100

const kept = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  issueTime: z.number(),
  expireTime: z.number().optional(),
})
type KeptTokens = z.infer<typeof kept>

/** Seals tokens for storing. */
export const sealTokens = (
  secretBox: SecretBox,
  place: { destinationId: string; grantId: string },
  tokens: GrantTokens,
): Uint8Array => {
  const { accessToken, refreshToken, issueTime, expireTime } = tokens
  const text = JSON.stringify({ accessToken, refreshToken, issueTime, expireTime } satisfies KeptTokens)
  return secretBox.seal(text, tokensContext(place.destinationId, place.grantId))
}

/**
 * Returns the renewal time of a token: a fifth of its lifetime before it expires, at most one minute. A token that
 * cannot be renewed is used until it expires.
 */
const renewTime = ({ issueTime, expireTime, refreshToken }: KeptTokens): number => {
  if (expireTime === undefined) return Number.POSITIVE_INFINITY
  return refreshToken === undefined ? expireTime : expireTime - Math.min(60_000, (expireTime - issueTime) / 5)
}

type Found =
  | { kind: 'token'; tokens: KeptTokens }
  | { kind: 'wait' }
  | { kind: 'renew'; tokens: KeptTokens; refreshToken: string; lease: string }
  | { kind: 'over'; error: string; announce: Announce }

const open = ({ secretBox }: AccessTokenDeps, row: GrantRow): KeptTokens => {
  if (row.tokens_encrypted === null) throw new ConfigurationError(row.error || revokedText)
  try {
    const text = secretBox.open(row.tokens_encrypted, tokensContext(row.destination_id, row.id))
    return kept.parse(JSON.parse(text))
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw new ConfigurationError('Its tokens were encrypted with another secret key: reconnect')
  }
}

/**
 * Decides, under the lock of the grant's row, whether to use the stored token, wait for another renewal, or renew the
 * tokens. Ends the grant if it can no longer give access. Takes the lease for a renewal.
 */
const look = async (
  deps: AccessTokenDeps,
  tx: Tx,
  row: GrantRow,
  { refused, again = false }: AskForToken,
): Promise<Found> => {
  const now = deps.clock()
  const tokens = open(deps, row)
  const isRefused = tokens.accessToken === refused
  if (!isRefused && now < renewTime(tokens)) return { kind: 'token', tokens }
  if (row.lease_until !== null) {
    const { rows } = await sql<{ held: boolean }>`
      select lease_until > clock_timestamp() as held from oauth_grants where id = ${row.id}`.execute(tx)
    if (rows[0]?.held === true) return { kind: 'wait' }
  }
  const over = async (error: string): Promise<Found> => ({
    kind: 'over',
    error,
    announce: await expireGrant(tx, { id: row.id, destinationId: row.destination_id }, { error, now }),
  })
  // A token close to its expiry may already have expired for the provider, whose clock decides.
  if (isRefused && again && now - tokens.issueTime < freshMs && now < renewTime(tokens))
    return await over('The provider refused to renew access: reconnect')
  const { refreshToken } = tokens
  if (refreshToken === undefined)
    return await over(
      isRefused ? revokedText : 'Access has expired, and the provider issued no refresh token: reconnect',
    )
  const lease = newId()
  await tx
    .updateTable('oauth_grants')
    .set({ lease_id: lease, lease_until: sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})` })
    .where('id', '=', row.id)
    .execute()
  return { kind: 'renew', tokens, refreshToken, lease }
}

const find = (
  deps: AccessTokenDeps,
  destinationId: string,
  ask: AskForToken,
): Promise<{ row: GrantRow; found: Found }> =>
  deps.db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('oauth_grants')
      .selectAll()
      .where('destination_id', '=', destinationId)
      .forUpdate()
      .executeTakeFirst()
    const problem = grantProblem(ask.client, row === undefined ? undefined : grantState(row))
    if (row === undefined || problem !== '') throw new ConfigurationError(problem)
    return { row, found: await look(deps, tx, row, ask) }
  })

/**
 * Stores tokens under the lease; returns false if a user connected or disconnected the destination in the meantime.
 */
const write = async (
  { db, secretBox, clock }: AccessTokenDeps,
  row: GrantRow,
  lease: string,
  tokens: KeptTokens,
): Promise<boolean> => {
  const written = await db
    .updateTable('oauth_grants')
    .set({
      tokens_encrypted: sealTokens(secretBox, { destinationId: row.destination_id, grantId: row.id }, tokens),
      error: '',
      lease_id: null,
      lease_until: null,
      update_time: new Date(clock()),
    })
    .where('id', '=', row.id)
    .where('lease_id', '=', lease)
    .returning('id')
    .executeTakeFirst()
  return written !== undefined
}

const giveUpLease = ({ db, clock }: AccessTokenDeps, lease: string, error: string): Promise<unknown> =>
  db
    .updateTable('oauth_grants')
    .set({ lease_id: null, lease_until: null, error, update_time: new Date(clock()) })
    .where('lease_id', '=', lease)
    .execute()

/** Renews the tokens; undefined if they are no longer needed. */
const renew = async (
  deps: AccessTokenDeps,
  row: GrantRow,
  { client, refused }: AskForToken,
  { tokens, refreshToken, lease }: Extract<Found, { kind: 'renew' }>,
): Promise<KeptTokens | undefined> => {
  const { db, requestClient, live, clock, logger } = deps
  const isRefused = tokens.accessToken === refused
  try {
    const fresh = await renewTokens(client, refreshToken, { request: requestClient.request, clock })
    return (await write(deps, row, lease, fresh)) ? fresh : undefined
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    if (error instanceof GrantRefusedError) {
      const announce = await db
        .transaction()
        .execute((tx) => expireGrant(tx, { id: row.id, destinationId: row.destination_id }, { now: clock() }))
      announce(live)
      logger.warn({ destinationId: row.destination_id, problem: error.message }, 'a grant was refused')
      throw new ConfigurationError(revokedText)
    }
    await giveUpLease(deps, lease, `Could not renew access: ${error.message}`)
    // The renewal was early enough that the current token still works.
    if (!isRefused && tokens.expireTime !== undefined && clock() < tokens.expireTime) return tokens
    throw error
  }
}

/**
 * Serves the tokens of grants and renews them. Only one process or thread renews a token at a time, because a refresh
 * token that is used twice may end the whole grant (RFC 9700, 4.14.2). The row is locked to take a lease on the
 * renewal. The request for a token runs outside of a transaction, so that a slow request holds no connection. The new
 * tokens are stored under the lease before they are used.
 */
export const createAccessTokens = (deps: AccessTokenDeps): AccessTokens => {
  const { live, clock } = deps
  const memory = new Map<string, { grantId: string; token: string; until: number }>()
  const flights = new Map<string, Promise<string>>()

  const obtain = async (destinationId: string, ask: AskForToken): Promise<string> => {
    const patience = performance.now() + patienceMs
    while (performance.now() < patience) {
      const { row, found } = await find(deps, destinationId, ask)
      if (found.kind === 'over') {
        found.announce(live)
        throw new ConfigurationError(found.error)
      }
      if (found.kind === 'wait') {
        await pause(pollMs)
        continue
      }
      const tokens = found.kind === 'token' ? found.tokens : await renew(deps, row, ask, found)
      if (tokens === undefined) continue
      // A failed renewal is repeated soon, but not at each delivery.
      const soon = Math.min(clock() + 5000, tokens.expireTime ?? Number.POSITIVE_INFINITY)
      const until = Math.max(renewTime(tokens), soon)
      memory.set(destinationId, { grantId: row.id, token: tokens.accessToken, until })
      return tokens.accessToken
    }
    throw new RetryableError('Access is being renewed: retrying')
  }

  return async (destinationId, ask) => {
    const own = memory.get(destinationId)
    if (own !== undefined && own.grantId === ask.grantId && own.token !== ask.refused && clock() < own.until)
      return own.token
    memory.delete(destinationId)
    const key = `${destinationId} ${ask.grantId ?? ''} ${ask.again ?? false} ${ask.refused ?? ''}`
    const running = flights.get(key)
    if (running !== undefined) return await running
    const flight = obtain(destinationId, ask).finally(() => flights.delete(key))
    flights.set(key, flight)
    return await flight
  }
}
