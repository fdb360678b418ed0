import { computeValues, numberOfProfile, windowMs } from '@tributary/audiences'
import { type ComputedTraitDefinition, computedTraitLimits, eventTypes, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import { warnOfDefinition } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'
import { readSummaries } from '../profiles/read.ts'

const types: readonly string[] = eventTypes
/** Maximum number of owners of events that are read to find profiles. Several owners may be one profile. */
const owners = 5 * computedTraitLimits.sample

/**
 * Reads the numbers by which the event store identifies the profiles that had the event most recently, the latest
 * first.
 */
const readLatest = async (
  { eventStore, clock }: Pick<ControlDeps, 'eventStore' | 'clock'>,
  workspaceId: string,
  definition: ComputedTraitDefinition,
  signal: AbortSignal,
): Promise<string[]> => {
  const window = windowMs(definition)
  const own = 'workspace_id = {workspace:String} and owner != 0'
  const rows = await eventStore.query<{ profile: string }>(
    `select toString(if(joined.profile = 0, seen.owner, joined.profile)) as profile
     from (select owner, max(receive_time) as time from events
       where ${own} and status = 'accepted' and not test
         and (event = {event:String}${types.includes(definition.event) ? ` or (event = '' and type = {event:String})` : ''})
         ${window === undefined ? '' : 'and receive_time > fromUnixTimestamp64Milli({since:Int64})'}
       group by owner order by time desc limit ${owners}) as seen
     left join (select owner, argMax(profile, version) as profile from profile_owners where ${own} group by owner) as joined
       on joined.owner = seen.owner
     order by seen.time desc`,
    { workspace: workspaceId, event: definition.event, since: clock() - (window ?? 0) },
    { owner: workspaceId, slot: 'short', signal },
  )
  return [...new Set(rows.map(({ profile }) => profile))].slice(0, 2 * computedTraitLimits.sample)
}

/** Returns the first and the last UUID that begin with the 16 hexadecimal digits of this number. */
const idsWith = (number: string): [string, string] => {
  const hex = BigInt(number).toString(16).padStart(16, '0')
  const id = (rest: string): string =>
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12)}-${rest.slice(0, 4)}-${rest.slice(4)}`
  return [id('0'.repeat(16)), id('f'.repeat(16))]
}

/**
 * Computes a definition for the profiles that had its event most recently, with the same code that computes a saved
 * trait.
 */
export const previewComputedTrait =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.computedTraits.preview> =>
  async ({ workspace, body: { definition }, signal }) => {
    const asOf = clock()
    const latest = await readLatest({ eventStore, clock }, workspace.id, definition, signal)
    const bounds = latest.map(idsWith)
    const { rows: found } = await sql<{ id: string; create_time: Date }>`
      select p.id, p.create_time
      from unnest(${bounds.map(([from]) => from)}::uuid[], ${bounds.map(([, to]) => to)}::uuid[])
        with ordinality as asked (first, last, place)
      join profiles p on p.workspace_id = ${workspace.id}::uuid and p.id between asked.first and asked.last
      where p.merged_into is null order by asked.place limit ${computedTraitLimits.sample}`.execute(db)
    const profiles = found.map(({ id }) => id)
    const [values, summaries] = await Promise.all([
      computeValues(
        { db, eventStore },
        {
          workspaceId: workspace.id,
          definition,
          profiles,
          scope: { profiles: profiles.map(numberOfProfile) },
          asOf,
          slot: 'short',
          signal,
        },
      ),
      readSummaries(db, workspace.id, found),
    ])
    return {
      as_of: new Date(asOf).toISOString(),
      sample: summaries.map((profile, index) => {
        const value = values.get(profiles[index] ?? '')
        return { profile, value: value?.value ?? null, has_value: value !== undefined }
      }),
      warnings: await warnOfDefinition({ db, eventStore }, definition, { workspaceId: workspace.id, signal }),
    }
  }
