import { createHash } from 'node:crypto'
import type { Db } from '@tributary/api-kit'
import { isPlaceholder, type PipelineEvent } from '@tributary/contract'
import { sql } from 'kysely'
import { expiryOf, type Fact, type FactName, type Facts, type StoredFact } from './click-facts.ts'
import type { KnownPerson } from './make.ts'

/** An identifier of a person. */
export type Identifier = { type: string; value: string }

/** Returns the hash that stands for an identifier where its value is not stored. */
export const personHash = (workspaceId: string, { type, value }: Identifier): Buffer =>
  createHash('sha256').update(`${workspaceId}\n${type}\n${value}`).digest().subarray(0, 16)

/**
 * Returns the identifiers of the person of an event, without placeholders. A placeholder stands for no user, and would
 * join the clicks of all people.
 */
export const identifiersOf = ({ userId, anonymousId }: Pick<PipelineEvent, 'userId' | 'anonymousId'>): Identifier[] => [
  ...(userId === undefined || isPlaceholder(userId) ? [] : [{ type: 'user_id', value: userId }]),
  ...(anonymousId === undefined || isPlaceholder(anonymousId) ? [] : [{ type: 'anonymous_id', value: anonymousId }]),
]

/** Maximum number of identifiers that are read per profile. */
const maxIdentifiers = 50

/** Reads the hashes of all identifiers of each event's person. The hashes of the event's own identifiers come first. */
export const readPersons = async (
  db: Db,
  workspaceId: string,
  events: readonly (readonly Identifier[])[],
): Promise<Buffer[][]> => {
  const asked = events.flatMap((own, place) => own.map(({ type, value }) => ({ place, type, value })))
  if (asked.length === 0) return events.map(() => [])
  const { rows } = await sql<{ place: number; type: string; value: string }>`
    select distinct asked.place, others.type, others.value
    from unnest(${asked.map(({ place }) => place)}::int[], ${asked.map(({ type }) => type)}::text[],
      ${asked.map(({ value }) => value)}::text[]) as asked (place, type, value)
    join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.type = asked.type and i.value = asked.value
    cross join lateral (
      select type, value from profile_identifiers o
      where o.workspace_id = ${workspaceId}::uuid and o.profile_id = i.profile_id
        and o.type in ('user_id', 'anonymous_id', 'previous_id')
      order by o.sequence desc limit ${maxIdentifiers}
    ) as others`.execute(db)
  const known = Map.groupBy(rows, ({ place }) => place)
  return events.map((own, place) => {
    const hashes = new Map<string, Buffer>()
    for (const each of [...own, ...(known.get(place) ?? [])]) {
      const hash = personHash(workspaceId, each)
      hashes.set(hash.toString('latin1'), hash)
    }
    return [...hashes.values()]
  })
}

/** The name under which a withdrawal of consent is stored. */
const consentName = 'consent'
/** How long a withdrawal of consent is stored, in ms: longer than any event can wait. */
const consentMs = 400 * 86_400_000

/** The facts that an event adds to those of its person. */
export type SeenFacts = { hashes: readonly Buffer[]; facts: Facts; at: number; consent: 'granted' | 'denied' | 'none' }

type Write = Fact & { person: Buffer; name: string; expires: number }

const factsToWrite = ({ hashes, facts }: SeenFacts): Write[] =>
  hashes.flatMap((person) =>
    Object.entries(facts).map(([name, fact]) => ({
      ...fact,
      person,
      name,
      expires: expiryOf(name as FactName, fact.at),
    })),
  )

const consentToWrite = ({ hashes, consent, at }: SeenFacts): Write[] =>
  hashes.map((person) => ({ person, name: consentName, value: consent, at, campaign: '', expires: at + consentMs }))

/** Writes facts. Only the first and the last value under a name count, so the order of the writes does not matter. */
const write = async (db: Db, workspaceId: string, writes: readonly Write[]): Promise<void> => {
  const places = new Map<string, { first: Write; last: Write }>()
  for (const each of writes) {
    const key = `${each.person.toString('latin1')}${each.name}`
    const known = places.get(key)
    if (known === undefined) places.set(key, { first: each, last: each })
    else {
      if (each.at < known.first.at) known.first = each
      if (each.at > known.last.at) known.last = each
    }
  }
  // The rows are sorted, so that concurrent writers cannot deadlock.
  const rows = [...places.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  if (rows.length === 0) return
  const column = <T>(of: (row: (typeof rows)[number]) => T): T[] => rows.map(of)
  await sql`
    insert into signal_clicks as kept (workspace_id, person, name, first_value, first_time, first_campaign,
      last_value, last_time, last_campaign, expire_time)
    select ${workspaceId}::uuid, * from unnest(
      ${column(({ last }) => last.person)}::bytea[], ${column(({ last }) => last.name)}::text[],
      ${column(({ first }) => first.value)}::text[], ${column(({ first }) => new Date(first.at))}::timestamptz[],
      ${column(({ first }) => first.campaign)}::text[],
      ${column(({ last }) => last.value)}::text[], ${column(({ last }) => new Date(last.at))}::timestamptz[],
      ${column(({ last }) => last.campaign)}::text[], ${column(({ last }) => new Date(last.expires))}::timestamptz[])
    on conflict (workspace_id, person, name) do update set
      first_value = case when kept.expire_time < excluded.first_time or excluded.first_time < kept.first_time
        then excluded.first_value else kept.first_value end,
      first_campaign = case when kept.expire_time < excluded.first_time or excluded.first_time < kept.first_time
        then excluded.first_campaign else kept.first_campaign end,
      first_time = case when kept.expire_time < excluded.first_time or excluded.first_time < kept.first_time
        then excluded.first_time else kept.first_time end,
      last_value = case when excluded.last_time >= kept.last_time then excluded.last_value else kept.last_value end,
      last_campaign = case when excluded.last_time >= kept.last_time then excluded.last_campaign else kept.last_campaign end,
      last_time = greatest(excluded.last_time, kept.last_time),
      expire_time = greatest(excluded.expire_time, kept.expire_time)
    where (kept.last_value <> excluded.last_value or kept.last_campaign <> excluded.last_campaign)
      or excluded.first_time < kept.first_time`.execute(db)
}

/**
 * Stores the clicks in events. When a person denies consent, everything stored about the person is removed, and only
 * the denial is kept. If the person grants consent again later, this is stored too.
 */
export const storeSeenFacts = async (db: Db, workspaceId: string, seen: readonly SeenFacts[]): Promise<void> => {
  const denied = seen.filter(({ consent }) => consent === 'denied')
  const granted = seen.filter(({ consent }) => consent === 'granted')
  await write(db, workspaceId, seen.filter(({ consent }) => consent !== 'denied').flatMap(factsToWrite))
  if (denied.length > 0) {
    await write(db, workspaceId, denied.flatMap(consentToWrite))
    await sql`delete from signal_clicks k using unnest(${denied.flatMap(({ hashes }) => hashes)}::bytea[],
        ${denied.flatMap(({ hashes, at }) => hashes.map(() => new Date(at)))}::timestamptz[]) as gone (person, time)
      where k.workspace_id = ${workspaceId}::uuid and k.person = gone.person and k.name <> ${consentName}
        and k.last_time <= gone.time`.execute(db)
  }
  if (granted.length > 0)
    await sql`update signal_clicks k set last_value = 'granted', last_time = given.time
      from unnest(${granted.flatMap(({ hashes }) => hashes)}::bytea[],
        ${granted.flatMap(({ hashes, at }) => hashes.map(() => new Date(at)))}::timestamptz[]) as given (person, time)
      where k.workspace_id = ${workspaceId}::uuid and k.person = given.person and k.name = ${consentName}
        and k.last_time < given.time`.execute(db)
}

type Row = {
  person: Buffer
  name: string
  first_value: string
  first_time: Date
  first_campaign: string
  last_value: string
  last_time: Date
  last_campaign: string
}

const asKept = (row: Row): StoredFact => ({
  first: { value: row.first_value, at: row.first_time.getTime(), campaign: row.first_campaign },
  last: { value: row.last_value, at: row.last_time.getTime(), campaign: row.last_campaign },
})

const together = (a: StoredFact | undefined, b: StoredFact): StoredFact =>
  a === undefined
    ? b
    : { first: a.first.at <= b.first.at ? a.first : b.first, last: a.last.at >= b.last.at ? a.last : b.last }

/** Reads the stored facts of persons. Each person is given by hashes. */
export const readKnownPersons = async (
  db: Db,
  workspaceId: string,
  persons: readonly (readonly Buffer[])[],
): Promise<KnownPerson[]> => {
  const all = [...new Map(persons.flat().map((hash) => [hash.toString('latin1'), hash])).values()]
  const { rows } =
    all.length === 0
      ? { rows: [] }
      : await sql<Row>`select person, name, first_value, first_time, first_campaign, last_value, last_time, last_campaign
          from signal_clicks where workspace_id = ${workspaceId}::uuid and person = any(${all}::bytea[])`.execute(db)
  const known = Map.groupBy(rows, ({ person }) => person.toString('latin1'))
  return persons.map((hashes) => {
    const kept = new Map<FactName, StoredFact>()
    let consent: StoredFact | undefined
    for (const hash of hashes)
      for (const row of known.get(hash.toString('latin1')) ?? []) {
        if (row.name === consentName) consent = together(consent, asKept(row))
        else kept.set(row.name as FactName, together(kept.get(row.name as FactName), asKept(row)))
      }
    return { kept, withdrawnAt: consent?.last.value === 'denied' ? consent.last.at : undefined }
  })
}

/** How long conversions are kept, in ms. The age limits of all platforms are much shorter. */
const conversionsMs = 400 * 86_400_000

/** Removes expired clicks and old conversions. Call it regularly. */
export const removeExpired = async (db: Db, now: number): Promise<void> => {
  for (let left = 5000; left === 5000; ) {
    const { numAffectedRows } = await sql`delete from signal_conversions where id = any(array(
      select id from signal_conversions where create_time < ${new Date(now - conversionsMs)} order by id limit 5000))`.execute(
      db,
    )
    left = Number(numAffectedRows ?? 0n)
  }
  for (let left = 5000; left === 5000; ) {
    const { numAffectedRows } = await sql`delete from signal_clicks where ctid = any(array(
      select ctid from signal_clicks where expire_time < ${new Date(now)} limit 5000))`.execute(db)
    left = Number(numAffectedRows ?? 0n)
  }
}
