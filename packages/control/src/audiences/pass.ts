import type { Db } from '@tributary/api-kit'
import type { AudienceQuery } from '@tributary/contract'
import { sql } from 'kysely'
import { createCompiler } from './compile.ts'
import { runEvents } from './evaluate.ts'
import { type LookAgainDeps, lookAgain } from './look-again.ts'
import { type KnownAudience, readKnown } from './read.ts'
import { lookUp } from './references.ts'
import { readTouched, type Storing } from './touches.ts'

type Live = { id: string; version: number; as_of: Date; touched_before: string }

/** The profiles of which an event left the time that a condition of one of the queries looks at. */
const crossedSince = async (
  { db, eventStore }: Pick<LookAgainDeps, 'db' | 'eventStore'>,
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
  const [set] = await runEvents(eventStore, statement, { workspaceId, slot: 'heavy', signal })
  if (set === undefined || set.size === 0) return []
  // The number is the beginning of the id.
  const { rows } = await sql<{ id: string }>`
    select p.id from unnest(${set.text}::bigint[]) as crossed (owner)
    cross join lateral (select lpad(to_hex(crossed.owner), 16, '0') as begins) as named
    cross join lateral (
      select id from profiles where workspace_id = ${workspaceId}::uuid
        and id between (named.begins || repeat('0', 16))::uuid and (named.begins || repeat('f', 16))::uuid
    ) as p`.execute(db)
  return rows.map(({ id }) => id)
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
 * Brings the live audiences of a workspace up to date: looks again at the profiles that something happened to since the last time, and at
 * those that time alone may have changed. What is members then is what a whole computation as of now finds, of the events
 * that are stored.
 */
export const passWorkspace = async (
  deps: LookAgainDeps & { clock: () => number; storing: Storing },
  workspaceId: string,
  signal: AbortSignal,
): Promise<void> => {
  const { db, clock, storing } = deps
  const live = await liveOf(db, workspaceId)
  const [first] = live
  if (first === undefined) return
  const known = await readKnown(db, workspaceId)
  const audiences = queriesOfLive(live, known)
  const queryOf = lookUp(known)
  const asOf = new Date(clock())
  const least = live.reduce(
    (one, each) => (BigInt(each.touched_before) < BigInt(one) ? each.touched_before : one),
    first.touched_before,
  )
  const before = new Date(Math.min(...live.map((each) => each.as_of.getTime())))
  const touched = await readTouched(db, workspaceId, least, storing)
  // What they would be as of now nobody can tell: they stay exact as of before, which is shown.
  if (touched.late) return
  const queries = audiences.map(({ query }) => query)
  const crossed = touched.complete
    ? await crossedSince(deps, { workspaceId, queries, queryOf }, { before, asOf }, signal)
    : []
  await lookAgain(deps, {
    workspaceId,
    audiences,
    profiles: [...new Set([...touched.profiles, ...crossed])],
    asOf,
    queryOf,
    signal,
    reached: { before: touched.before, asOf: touched.complete ? asOf : undefined },
  })
}
