import { consentNeed, type EventProfile, noProfile, profileLacks } from '@tributary/connector-kit'
import { maxProfileBytes, type ProfilePart, profileNeeds, profileParts } from '@tributary/contract'
import { jsonText } from '@tributary/kernel'
import { type Database, prepared } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { type Identifier, identifierKey } from '../identifiers.ts'
import { readConsents } from './read-consents.ts'

/** Maximum number of identifiers per query, and maximum bytes of the values of one look-up. */
const ownersPerQuery = 200
const maxLookBytes = 8 * 1024 * 1024

type Row = {
  part: ProfilePart | 'asked'
  profile_id: string
  name: string
  value: string | null
  /** Whether the value is left out, because the values of the profile are too large. */
  cut: boolean
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Reads, with one statement, the profiles with the given identifiers: the needed traits, the latest identifier of each
 * needed type, and whether the profile is in each needed audience. Suppressed profiles are left out. The smallest values
 * up to the maximum size of a profile are read.
 */
const readRows = async (
  db: Kysely<Database>,
  workspaceId: string,
  owners: readonly Identifier[],
  needs: readonly string[],
): Promise<Row[]> => {
  const { traits, identifiers, audiences } = profileNeeds(needs)
  const { rows } = await sql<Row>`${prepared('profile-values')}
    with asked as (
      select a.place, known.profile_id
      from unnest(${owners.map(({ type }) => type)}::text[], ${owners.map(({ value }) => value)}::text[])
        with ordinality as a (type, value, place)
      join profile_identifiers known
        on known.workspace_id = ${workspaceId}::uuid and known.value = a.value and known.type = a.type),
    own as (
      select i.profile_id, i.type, i.value, i.sequence, h.suppressed
      from (select distinct profile_id from asked) p
      join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.profile_id = p.profile_id
      left join lateral (
        select true as suppressed from privacy_hashes h
        where h.workspace_id = ${workspaceId}::uuid and h.identifier = i.sequence and h.suppress_time is not null
        limit 1) h on true)
    select part, profile_id, name, case when size <= ${maxProfileBytes} then value end as value,
      size > ${maxProfileBytes} as cut
    from (select part, profile_id, name, value, sum(octet_length(value))
      over (partition by profile_id order by octet_length(value), part, name rows unbounded preceding) as size
    from (
    select 'asked' as part, profile_id, place::text as name, '' as value from asked
      where profile_id not in (select profile_id from own where suppressed)
    union all
    (select distinct on (profile_id, type) 'identifiers', profile_id, type, value from own
      where type = any(${identifiers}::text[]) order by profile_id, type, sequence desc)
    union all
    (select distinct on (own.profile_id, t.name) 'traits', own.profile_id, t.name, t.value
      from own join current_traits t on t.workspace_id = ${workspaceId}::uuid and t.identifier = own.sequence
      where t.name = any(${traits}::text[]) order by own.profile_id, t.name, t.time desc, t.event_id desc)
    union all
    select 'audiences', p.profile_id, a.id::text, (m.profile_id is not null)::text
      from (select distinct profile_id from asked) p
      join audiences a on a.workspace_id = ${workspaceId}::uuid
        and a.id = any(${audiences.filter((id) => uuid.test(id))}::uuid[])
      left join audience_members m on m.audience_id = a.id and m.profile_id = p.profile_id
    ) found) sized
    order by profile_id, part, name`.execute(db)
  return rows
}

/** Returns the rows of one profile as the values of an event, up to the maximum size. */
const valuesOf = (rows: readonly Row[]): EventProfile => {
  let bytes = 0
  let lacks: string = rows.some(({ cut }) => cut) ? profileLacks.tooLarge : ''
  const parts = profileParts.map((part) => {
    const members = rows.flatMap(({ part: of, name, value }): [string, string][] => {
      if (of !== part || value === null) return []
      const text = part === 'identifiers' ? JSON.stringify(value) : value
      const size = Buffer.byteLength(name) + Buffer.byteLength(text)
      if (bytes + size > maxProfileBytes) {
        lacks = profileLacks.tooLarge
        return []
      }
      bytes += size
      return [[name, text]]
    })
    return [part, jsonText(members)] as const
  })
  return { json: jsonText(parts), lacks }
}

const unknown: EventProfile = { ...noProfile, lacks: profileLacks.unknown }

const tooMany: EventProfile = { ...noProfile, lacks: 'the profiles of the events beside it take more than 8 MB' }

/**
 * Reads the profiles with the given identifiers, with one query for each 200, and one more if their consent is needed. Resolves to the values by
 * `identifierKey`. Once the values take 8 MB, the other profiles are not read.
 */
export const readProfileValues = async (
  db: Kysely<Database>,
  workspaceId: string,
  owners: readonly Identifier[],
  needs: readonly string[],
): Promise<Map<string, EventProfile>> => {
  const found = new Map<string, EventProfile>()
  let bytes = 0
  for (let at = 0; at < owners.length; at += ownersPerQuery) {
    const asked = owners.slice(at, at + ownersPerQuery)
    const isFull = bytes >= maxLookBytes
    for (const owner of asked) found.set(identifierKey(owner), isFull ? tooMany : unknown)
    if (isFull) continue
    const rows = await readRows(db, workspaceId, asked, needs)
    const byProfile = Map.groupBy(rows, ({ profile_id }) => profile_id)
    for (const { part, profile_id, name } of rows) {
      const owner = part === 'asked' ? asked[Number(name) - 1] : undefined
      if (owner === undefined) continue
      const profile = valuesOf(byProfile.get(profile_id) ?? [])
      bytes += profile.json.length
      found.set(identifierKey(owner), profile)
    }
  }
  if (!needs.includes(consentNeed)) return found
  for (const [key, consent] of await readConsents(db, workspaceId, owners)) {
    const profile = found.get(key)
    // A suppressed profile is not known.
    if (profile !== undefined && profile.lacks !== profileLacks.unknown) found.set(key, { ...profile, consent })
  }
  return found
}
