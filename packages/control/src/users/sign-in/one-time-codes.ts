import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Db, Tx } from '@tributary/api-kit'
import type { otpActions } from '@tributary/contract'
import { type AppError, type Clock, newId, rateLimited, unauthorized } from '@tributary/kernel'

/** The action that a code allows. */
export type CodeAction = (typeof otpActions)[number]

/** Lifetime of a code, and minimum time before another one can be requested, both in ms. */
export const codeLimits = { lifeMs: 10 * 60_000, resendMs: 30_000 } as const

/** 32 capital letters and digits, without those that look alike (0 O, 1 I). Twelve of them have 60 bits. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Makes a random code of the form `XXX-XXX-XXX-XXX`. */
export const makeCode = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 3 }, () => alphabet[randomInt(alphabet.length)]).join('')).join(
    '-',
  )

export type OneTimeCodes = {
  /**
   * Makes a code for an address (in lower case) and an action, and ends the previous one. Throws 429 if the previous
   * one is younger than 30 seconds. If several calls are made at once, only one gets a code.
   */
  make(tx: Tx, email: string, action: CodeAction): Promise<{ code: string; expireTime: Date }>
  /**
   * Returns the ID of a valid code, which `spend` needs. Throws 401 INVALID_CODE for any other text. Hyphens and letter
   * case do not matter. The caller must slow down guesses; a code of 60 bits needs no limit of its own.
   */
  check(email: string, actions: readonly CodeAction[], code: string): Promise<string>
  /** Ends all codes of the address. Throws 401 INVALID_CODE if this code was used or replaced meanwhile. */
  spend(tx: Tx, email: string, id: string): Promise<void>
}

/**
 * The error for every code that is not valid, whatever the reason. It must not say "expired", which clients understand
 * as an ended session.
 */
export const invalidCode = (): AppError =>
  unauthorized('The code is wrong, used or too old. Check it, or ask for a new one', 'INVALID_CODE')

/** Stores one-time codes in the relational store, only as their HMAC-SHA256 with `key`. */
export const createOneTimeCodes = ({ db, clock, key }: { db: Db; clock: Clock; key: Uint8Array }): OneTimeCodes => {
  const hashOf = (email: string, code: string): Buffer =>
    createHmac('sha256', key)
      .update(`${email}\n${code.replaceAll('-', '').toUpperCase()}`)
      .digest()

  return {
    async make(tx, email, action) {
      const now = clock()
      const code = makeCode()
      const row = {
        id: newId(),
        code_hash: hashOf(email, code),
        tries: 0,
        create_time: new Date(now),
        expire_time: new Date(now + codeLimits.lifeMs),
      }
      const made = await tx
        .insertInto('one_time_codes')
        .values({ ...row, email, action })
        .onConflict((conflict) =>
          conflict
            .columns(['email', 'action'])
            .doUpdateSet(row)
            .where('one_time_codes.create_time', '<=', new Date(now - codeLimits.resendMs)),
        )
        .returning('id')
        .executeTakeFirst()
      if (made !== undefined) return { code, expireTime: row.expire_time }
      const young = await tx
        .selectFrom('one_time_codes')
        .select('create_time')
        .where('email', '=', email)
        .where('action', '=', action)
        .executeTakeFirst()
      const left = (young?.create_time.getTime() ?? now) + codeLimits.resendMs - now
      const seconds = Math.min(codeLimits.resendMs / 1000, Math.max(1, Math.ceil(left / 1000)))
      throw rateLimited(
        `A code was sent just now. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'} before you ask for another one`,
        seconds * 1000,
      )
    },
    async check(email, actions, code) {
      const rows = await db
        .selectFrom('one_time_codes')
        .select(['id', 'code_hash'])
        .where('email', '=', email)
        .where('action', 'in', actions)
        .where('expire_time', '>', new Date(clock()))
        .execute()
      const wanted = hashOf(email, code)
      const found = rows.filter((row) => timingSafeEqual(row.code_hash, wanted))[0]
      if (found === undefined) throw invalidCode()
      return found.id
    },
    async spend(tx, email, id) {
      const ended = await tx.deleteFrom('one_time_codes').where('email', '=', email).returning('id').execute()
      if (!ended.some((row) => row.id === id)) throw invalidCode()
    },
  }
}
