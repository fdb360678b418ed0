import { newId } from '@tributary/kernel'
import { type EventStore, systemOwner } from '@tributary/storage'
import type { Changes } from './changes.ts'

/** The owner of the row that contains the progress of its workspace. */
const placeOwner = '0'

const rowsOf = (workspaceId: string, { joined, through, version }: Changes): string[] => [
  ...joined.map(({ owner, profile }) => JSON.stringify({ workspace_id: workspaceId, owner, profile, version })),
  JSON.stringify({ workspace_id: workspaceId, owner: placeOwner, profile: through.mark, version: through.sequence }),
]

/** The table `profile_owners` of the event store. All calls reject while the store is unavailable. */
export const createOwnersTable = (eventStore: Pick<EventStore, 'query' | 'insert' | 'command'>) => ({
  /** The last projected entry of each ledger, and the mark of that entry. */
  async places(): Promise<{ id: string; place: number; mark: string }[]> {
    const rows = await eventStore.query<{ id: string; place: number; mark: string }>(
      `select workspace_id as id, maxIf(version, owner = 0) as place, toString(argMaxIf(profile, version, owner = 0)) as mark
       from profile_owners group by workspace_id`,
      {},
      { owner: systemOwner },
    )
    return rows.map(({ id, place, mark }) => ({ id, place: Number(place), mark }))
  },
  /** Inserts the current profile of each identifier, with the ledger position, in one atomic insert. */
  insert: (changes: ReadonlyMap<string, Changes>): Promise<void> =>
    eventStore.insert(
      'profile_owners',
      [...changes].flatMap(([id, each]) => rowsOf(id, each)),
      { token: newId() },
    ),
  /** Removes the rows of deleted people, including rows from before a merge. */
  erase: (workspaceId: string, erased: readonly string[]): Promise<void> =>
    eventStore.command(
      `alter table profile_owners delete where workspace_id = {workspace:String} and owner in (
         select owner from profile_owners
         where workspace_id = {workspace:String} and owner != 0 and profile in {erased:Array(UInt64)})
       settings mutations_sync = 1`,
      { workspace: workspaceId, erased: erased.map(BigInt) },
    ),
  /** Removes all rows of workspaces. */
  empty: (workspaces: readonly string[]): Promise<void> =>
    eventStore.command(
      'alter table profile_owners delete where workspace_id in {workspaces:Array(String)} settings mutations_sync = 1',
      { workspaces },
    ),
})
