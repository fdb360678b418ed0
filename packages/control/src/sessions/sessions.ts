import { type Db, hashToken, type Tx } from '@tributary/api-kit'
import type { Authentication } from '@tributary/http'
import { type Actor, type Clock, newId, randomToken } from '@tributary/kernel'
import { createTokenCache } from './token-cache.ts'

const hour = 3_600_000

/** Lifetime of a session in ms: since its last use, and in total. */
export const sessionLimits = { idleMs: 12 * hour, totalMs: 30 * 24 * hour } as const

/** Maximum sessions per user. The most recently used ones stay. */
export const sessionsPerUser = 1000

/** Minimum time between stored updates of a session's last use, ms. */
const touchMs = 60_000

const prefix = 'trb_'
const tokenPattern = /^trb_[A-Za-z0-9_-]{43}$/

export type Sessions = {
  /**
   * Starts a session in the given transaction and returns its token: 256 random bits, of which only the SHA-256 is
   * stored.
   */
  begin(tx: Tx, userId: string, client: { ip: string; userAgent: string }): Promise<string>
  /** Ends one session in the given transaction. Call `accessChanged` once it is committed. */
  end(tx: Tx, sessionId: string): Promise<void>
  /** Ends all sessions of a user in the given transaction, except one. Call `accessChanged` once it is committed. */
  endOthers(tx: Tx, userId: string, exceptSessionId: string | undefined): Promise<void>
  /**
   * Makes this process notice ended sessions and changed memberships immediately. Other processes notice them within
   * two seconds.
   */
  refresh(): void
  /** Finds the holder of a token. The result may be two seconds old. */
  authenticate(token: string): Promise<Authentication>
}

const actorOf = async (db: Db, userId: string, sessionId: string): Promise<Actor | undefined> => {
  const user = await db
    .selectFrom('users')
    .select(['id', 'email', 'is_admin'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user === undefined) return undefined
  const memberships = await db
    .selectFrom('memberships')
    .select(['organization_id', 'role'])
    .where('user_id', '=', userId)
    .execute()
  return {
    userId: user.id,
    email: user.email,
    isPlatformAdmin: user.is_admin,
    sessionId,
    memberships: memberships.map((row) => ({ organizationId: row.organization_id, role: row.role })),
  }
}

/** Stores the last use of a session, and moves its end accordingly. */
const slide = async (
  db: Db,
  session: { id: string; create_time: Date; last_used_time: Date },
  now: number,
): Promise<void> => {
  if (now - session.last_used_time.getTime() < touchMs) return
  const end = Math.min(now + sessionLimits.idleMs, session.create_time.getTime() + sessionLimits.totalMs)
  await db
    .updateTable('sessions')
    .set({ last_used_time: new Date(now), expire_time: new Date(end) })
    .where('id', '=', session.id)
    .execute()
}

/**
 * Stores sessions in the relational store. Each session ends some time after its last use, or at the end of its total
 * lifetime.
 */
export const createSessions = ({ db, clock }: { db: Db; clock: Clock }): Sessions => {
  const look = async (token: string): Promise<Authentication> => {
    const session = await db
      .selectFrom('sessions')
      .select(['id', 'user_id', 'create_time', 'last_used_time', 'expire_time'])
      .where('token_hash', '=', hashToken(token))
      .executeTakeFirst()
    if (session === undefined) return { failure: 'unknown' }
    const now = clock()
    if (session.expire_time.getTime() <= now) return { failure: 'expired' }
    const actor = await actorOf(db, session.user_id, session.id)
    if (actor === undefined) return { failure: 'unknown' }
    await slide(db, session, now)
    return { actor }
  }

  const kept = createTokenCache(clock, look)

  return {
    async begin(tx, userId, client) {
      const token = prefix + randomToken(32)
      const now = clock()
      await tx
        .insertInto('sessions')
        .values({
          id: newId(),
          user_id: userId,
          token_hash: hashToken(token),
          create_time: new Date(now),
          last_used_time: new Date(now),
          expire_time: new Date(now + sessionLimits.idleMs),
          user_agent: client.userAgent.toWellFormed().replaceAll('\0', ''),
          ip: client.ip,
        })
        .execute()
      await tx
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', 'in', (older) =>
          older
            .selectFrom('sessions')
            .select('id')
            .where('user_id', '=', userId)
            .orderBy('last_used_time', 'desc')
            .orderBy('id', 'desc')
            .offset(sessionsPerUser)
            .forUpdate()
            .skipLocked(),
        )
        .execute()
      return token
    },
    async end(tx, sessionId) {
      await tx.deleteFrom('sessions').where('id', '=', sessionId).execute()
    },
    async endOthers(tx, userId, exceptSessionId) {
      await tx
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .$if(exceptSessionId !== undefined, (query) => query.where('id', '<>', exceptSessionId ?? ''))
        .execute()
    },
    refresh() {
      kept.clear()
    },
    async authenticate(token) {
      return tokenPattern.test(token) ? await kept.ask(token) : { failure: 'unknown' }
    },
  }
}
