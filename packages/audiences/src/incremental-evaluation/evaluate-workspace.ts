import type { Db } from '@tributary/api-kit'
import type { AudienceQuery } from '@tributary/contract'
import { sql } from 'kysely'
import { createCompiler } from '../compile.ts'
import { runEvents } from '../evaluate.ts'
import { type KnownAudience, readKnown } from '../read.ts'
import { lookUp } from '../references.ts'
import { readChangedProfiles, type Storing } from './changed-profiles.ts'
import { type ReevaluationDeps, reevaluateProfiles } from './reevaluate-profiles.ts'

type Live = { id: string; version: number; as_of: Date; touched_before: string }

/** Reads the profiles with an event that has left the time window of a condition in one of the queries. */
const crossedSince = async (
  { db, eventStore }: Pick<ReevaluationDeps, 'db' | 'eventStore'>,
  {
    workspaceId,
    queries,
    queryOf,
  }: { workspaceId: string; queries: readonly AudienceQuery[]; queryOf: ReturnType<typeof lookUp> },
  { before, asOf }: { before: Date; asOf: Date },
  signal: AbortSignal,
): Promise<string[]> => {
  const compiler = createCompiler({ workspaceId, asOf: asOf.getTime(), queryOf })
  compiler.addAll(queries)
  const statement = compiler.crossings(before.getTime())
  if (statement === undefined) return []
  const { chunks } = await runEvents(eventStore, statement, { workspaceId, slot: 'heavy', signal })
  const found: string[] = []
  for (const { owners } of chunks) {
    // The number of a profile is the start of its ID.
    const { rows } = await sql<{ id: string }>`
      select p.id from unnest(${owners}::bigint[]) as crossed (owner)
      cross join lateral (select lpad(to_hex(crossed.owner), 16, '0') as begins) as named
      cross join lateral (
        select id from profiles where workspace_id = ${workspaceId}::uuid
          and id between (named.begins || repeat('0', 16))::uuid and (named.begins || repeat('f', 16))::uuid
      ) as p`.execute(db)
    for (const { id } of rows) found.push(id)
  }
  return found
}

const liveOf = async (db: Db, workspaceId: string): Promise<Live[]> => {
  const { rows } = await sql<Live>`
    select id, version, as_of, touched_before from audiences
    where workspace_id = ${workspaceId}::uuid and state = 'live' and as_of is not null and touched_before is not null
    `.execute(db)
  return rows
}

const queriesOfLive = (live: readonly Live[], known: readonly KnownAudience[]) =>
  live.flatMap((row) => {
    const query = known.find(({ id }) => id === row.id)?.query
    return query === undefined ? [] : [{ row, query }]
  })

/**
 * Brings the live audiences of a workspace up to date. Evaluates the profiles that changed since the last time, and
 * those that may change only because time passes. The result is the same as a complete computation of the stored events
 * now. Resolves to whether a profile entered or left one of them.
 */
export const evaluateWorkspace = async (
  deps: ReevaluationDeps & { clock: () => number; storing: Storing },
  workspaceId: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { db, clock, storing } = deps
  const live = await liveOf(db, workspaceId)
  const [first] = live
  if (first === undefined) return false
  const known = await readKnown(db, workspaceId)
  const audiences = queriesOfLive(live, known)
  const queryOf = lookUp(known)
  const asOf = new Date(clock())
  const least = live.reduce(
    (one, each) => (BigInt(each.touched_before) < BigInt(one) ? each.touched_before : one),
    first.touched_before,
  )
  const before = new Date(Math.min(...live.map((each) => each.as_of.getTime())))
  const touched = await readChangedProfiles(db, workspaceId, least, storing)
  // While storing is late, the current members are unknown. The audiences stay exact as of the earlier time, which
  // users see.
  if (touched.late) return false
  const queries = audiences.map(({ query }) => query)
  const crossed = touched.complete
    ? await crossedSince(deps, { workspaceId, queries, queryOf }, { before, asOf }, signal)
    : []
  return await reevaluateProfiles(deps, {
    workspaceId,
    audiences,
    profiles: [...new Set([...touched.profiles, ...crossed])],
    asOf,
    queryOf,
    signal,
    reached: { before: touched.before, asOf: touched.complete ? asOf : undefined },
  })
}
