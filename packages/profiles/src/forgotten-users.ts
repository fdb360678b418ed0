import type { Database } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { identifierHash } from './forget.ts'
import { identifiersOf } from './identifiers.ts'
import { defaultRules } from './rules.ts'

/** Who was deleted lately, for those who handle events without a transaction. */
export type ForgottenUsers = {
  /** Events of a workspace that were received until then may be of somebody who was deleted, epoch ms; 0 for none. */
  until(workspaceId: string): number
  /** Another text whenever somebody of a workspace was deleted or suppressed; '' while nobody was. */
  version(workspaceId: string): string
  /** Whether an event belongs to somebody who was deleted after it was received. */
  isOf(
    workspaceId: string,
    event: { userId?: string | undefined; anonymousId?: string | undefined; receivedAt: string },
  ): boolean
  /** Reads what has changed. Rejects while PostgreSQL is away. */
  refresh(): Promise<void>
}

type Workspace = { erasures: string; key: Uint8Array; until: number; times: ReadonlyMap<string, number> }

/**
 * Keeps the hashes of those who were deleted within `keepMs` in memory, about 200 bytes each: older events are in no log
 * any more. Nothing is known before the first `refresh`.
 */
export const createForgottenUsers = ({
  db,
  keepMs,
  clock,
}: {
  db: Kysely<Database>
  keepMs: number
  clock: () => number
}): ForgottenUsers => {
  let known = new Map<string, Workspace>()

  const load = async (workspaceId: string, erasures: string, key: Uint8Array): Promise<Workspace> => {
    const { rows } = await sql<{ hash: string; delete_time: Date }>`
      select hash, delete_time from privacy_hashes where workspace_id = ${workspaceId}::uuid
        and delete_time > ${new Date(clock() - keepMs)}`.execute(db)
    const times = new Map(rows.map(({ hash, delete_time }) => [hash, delete_time.getTime()]))
    let until = 0
    for (const time of times.values()) until = Math.max(until, time)
    return { erasures, key, until, times }
  }

  return {
    until: (workspaceId) => known.get(workspaceId)?.until ?? 0,
    version: (workspaceId) => known.get(workspaceId)?.erasures ?? '',
    isOf(workspaceId, { userId, anonymousId, receivedAt }) {
      const workspace = known.get(workspaceId)
      // Whose an event is does not depend on what the workspace decides.
      const [owner] = identifiersOf({ userId, anonymousId }, defaultRules).identifiers
      if (workspace === undefined || owner === undefined) return false
      const time = workspace.times.get(identifierHash(workspace.key, owner))
      return time !== undefined && Date.parse(receivedAt) <= time
    },
    async refresh() {
      const { rows } = await sql<{ workspace_id: string; erasures: string; privacy_key: Uint8Array }>`
        select workspace_id, erasures, privacy_key from identity_ledgers
        where erasures > 0 and privacy_key is not null`.execute(db)
      const next = new Map<string, Workspace>()
      for (const { workspace_id: id, erasures, privacy_key } of rows) {
        const before = known.get(id)
        const isSame = before?.erasures === erasures && (before.until === 0 || before.until > clock() - keepMs)
        next.set(id, before !== undefined && isSame ? before : await load(id, erasures, privacy_key))
      }
      known = next
    },
  }
}
