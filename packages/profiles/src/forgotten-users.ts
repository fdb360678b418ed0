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
  /**
   * Returns a version that changes with each deletion, suppression, split, or rebuild in a workspace; '' before the
   * first.
   */
  version(workspaceId: string): string
  /** Whether an event belongs to a user who was deleted after it was received. */
  isOf(
    workspaceId: string,
    event: { userId?: string | undefined; anonymousId?: string | undefined; receivedAt: string },
  ): boolean
  /** Returns when the refresh that applies now began, epoch ms; 0 before the first. */
  readAt(): number
  /**
   * Reads the changes. Rejects while PostgreSQL is unavailable. A refresh that ends after a later one changes nothing.
   */
  refresh(): Promise<void>
}

type Workspace = {
  erasures: string
  splits: string
  key: Uint8Array | undefined
  until: number
  times: ReadonlyMap<string, number>
}

type Row = { workspace_id: string; erasures: string; revision: string; privacy_key: Uint8Array | null }

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
  let readAt = 0
  /** The numbers of the refresh that began last, and of the one that applies. */
  let begun = 0
  let applied = 0

  const load = async ({ workspace_id, erasures, revision: splits, privacy_key }: Row): Promise<Workspace> => {
    const times = new Map<string, number>()
    const key = privacy_key ?? undefined
    if (key === undefined) return { erasures, splits, key, until: 0, times }
    const { rows } = await sql<{ hash: string; delete_time: Date }>`
      select hash, delete_time from privacy_hashes where workspace_id = ${workspace_id}::uuid
        and delete_time > ${new Date(clock() - keepMs)}`.execute(db)
    let until = 0
    for (const { hash, delete_time } of rows) {
      times.set(hash, delete_time.getTime())
      until = Math.max(until, delete_time.getTime())
    }
    return { erasures, splits, key, until, times }
  }

  return {
    until: (workspaceId) => known.get(workspaceId)?.until ?? 0,
    version: (workspaceId) => {
      const { erasures, splits } = known.get(workspaceId) ?? { erasures: '', splits: '0' }
      return splits === '0' ? erasures : `${erasures}.${splits}`
    },
    isOf(workspaceId, { userId, anonymousId, receivedAt }) {
      const workspace = known.get(workspaceId)
      // Uses the default rules, because the rules of a workspace do not affect the owner of an event.
      const [owner] = identifiersOf({ userId, anonymousId }, defaultRules).identifiers
      if (workspace?.key === undefined || owner === undefined) return false
      const time = workspace.times.get(identifierHash(workspace.key, owner))
      return time !== undefined && Date.parse(receivedAt) <= time
    },
    readAt: () => readAt,
    async refresh() {
      const own = ++begun
      const time = clock()
      const { rows } = await sql<Row>`
        select workspace_id, erasures, revision, privacy_key from identity_ledgers
        where (erasures > 0 and privacy_key is not null) or revision > 0`.execute(db)
      const next = new Map<string, Workspace>()
      for (const row of rows) {
        const before = known.get(row.workspace_id)
        const isSame = before?.erasures === row.erasures && (before.until === 0 || before.until > clock() - keepMs)
        const kept = before !== undefined && isSame ? { ...before, splits: row.revision } : await load(row)
        next.set(row.workspace_id, kept)
      }
      if (own < applied) return
      known = next
      applied = own
      readAt = time
    },
  }
}
