import { createdCursor, openPage } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'

/**
 * Lists the active sessions of the caller, the most recently used one first. No one can see the sessions of others, not
 * even platform admins.
 */
export const listSessions =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.sessions.list> =>
  async ({ actor, params, query }) => {
    const { userId } = actor
    const page = openPage('sessions.list', params, query, createdCursor)
    const rows = await db
      .selectFrom('sessions')
      .select(['id', 'user_agent', 'ip', 'create_time', 'last_used_time'])
      .where('user_id', '=', userId)
      .where('expire_time', '>', new Date(clock()))
      .$if(page.after !== undefined, (rest) =>
        rest.where(sql<boolean>`(last_used_time, id) < (${page.after?.[0]}::timestamptz, ${page.after?.[1]}::uuid)`),
      )
      .orderBy('last_used_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, (row) => [row.last_used_time.toISOString(), row.id])
    return {
      sessions: shown.map((row) => ({
        name: resourceNames.session.format({ user: userId, session: row.id }),
        user_agent: row.user_agent,
        ip: row.ip,
        create_time: row.create_time.toISOString(),
        last_used_time: row.last_used_time.toISOString(),
        current: row.id === actor.sessionId,
      })),
      next_page_token: next,
    }
  }
