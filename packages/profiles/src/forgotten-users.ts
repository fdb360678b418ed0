import type { Database } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { identifierHash } from './forget.ts'
import { identifiersOf } from './identifiers.ts'
import { defaultRules } from './rules.ts'

/** The recently deleted users, for code that handles events outside of a transaction. */
export type ForgottenUsers = {
  /**
   * Returns the last time (epoch ms) at which a received event of the workspace may belong to a deleted user; 0 for
   * none.
   */
  until(workspaceId: string): number
  /** Returns a version that changes with each deletion or suppression in a workspace; '' before the first. */
  version(workspaceId: string): string
  /** Whether an event belongs to a user who was deleted after it was received. */
  isOf(
    workspaceId: string,
    event: { userId?: string | undefined; anonymousId?: string | undefined; receivedAt: string },
  ): boolean
  /** Reads the changes. Rejects while PostgreSQL is unavailable. */
  refresh(): Promise<void>
}

type Workspace = { erasures: string; key: Uint8Array; until: number; times: ReadonlyMap<string, number> }

/**
 * Caches the hashes of users who were deleted within the last `keepMs`, about 200 bytes each. Logs have no events that
 * are older than that. Empty before the first `refresh`.
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
      // Uses the default rules, because the rules of a workspace do not affect the owner of an event.
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
