import { consentNeed, noProfile, profileLacks } from '@tributary/connector-kit'
import { maxProfileBytes, profileNeeds, profileParts } from '@tributary/contract'
import { jsonText } from '@tributary/kernel'
import { type Database, prepared } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { type Identifier, identifierKey } from '../identifiers.ts'
import { shortId } from './changes.ts'
import { readConsents } from './read-consents.ts'
import type { ReadProfile } from './value-cache.ts'

/** Maximum number of identifiers per query, and maximum bytes of the values of one look-up. */
const ownersPerQuery = 200
const maxLookBytes = 8 * 1024 * 1024

type Row = {
  /** Position of the identifier in the query, from 1. */
  place: number
  /** The values as JSON text, as in an `EventProfile`. */
  json: string
  /** Whether a value is left out, because the values of the profile are too large. */
  cut: boolean
  profile_id: string
  /** Whether the times of values decided, because several identifiers have the trait. */
  chosen: boolean
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The members of all parts as JSON text. */
const textOfParts = sql`'{' || ${sql.join(
  profileParts.map(
    (part) =>
      sql`'"' || ${sql.lit(part)} || '":{' || coalesce(string_agg(member, ',') filter (where part = ${sql.lit(part)}), '') || '}'`,
  ),
  sql` || ',' || `,
)} || '}'`

/**
 * Reads the profiles with the given identifiers by one statement, a row for each. A row has the needed traits, the
 * latest identifier of each needed type, and whether the profile is in each needed audience. Suppressed profiles are
 * left out. The smallest values up to the maximum size of a profile are read.
 *
 * `limit 1` and `offset 0` keep the planner on the indexes. Without them it reads all identifiers of a workspace, if its
 * statistics are old. Arrays in subqueries have the same estimate for all lengths, so that one plan is used again. The
 * set of a trait is read only if several identifiers have the trait.
 */
const readRows = async (
  db: Kysely<Database>,
  workspaceId: string,
  owners: readonly Identifier[],
  needs: readonly string[],
): Promise<Row[]> => {
  const { traits, identifiers, audiences } = profileNeeds(needs)
  const { rows } = await sql<Row>`${prepared('profile-values')}
    with asked as materialized (
      select a.place, known.profile_id
      from unnest((select ${owners.map(({ type }) => type)}::text[]), (select ${owners.map(({ value }) => value)}::text[]))
        with ordinality as a (type, value, place)
      cross join lateral (
        select profile_id from profile_identifiers
        where workspace_id = ${workspaceId}::uuid and value = a.value and type = a.type limit 1) known),
    own as materialized (
      select p.profile_id, i.type, i.value, i.sequence
      from (select distinct profile_id from asked) p
      cross join lateral (
        select type, value, sequence from profile_identifiers
        where workspace_id = ${workspaceId}::uuid and profile_id = p.profile_id offset 0) i),
    suppressed as (
      select own.profile_id from own
      cross join lateral (
        select from privacy_hashes
        where workspace_id = ${workspaceId}::uuid and identifier = own.sequence and suppress_time is not null
        limit 1) h),
    given as (
      select own.profile_id, t.name, min(t.value) as value, count(*) as times
      from own
      cross join lateral (
        select name, value from profile_traits
        where workspace_id = ${workspaceId}::uuid and identifier = own.sequence and name = any((select ${traits}::text[])::text[])
        offset 0) t
      group by own.profile_id, t.name),
    parts as (
      select 'traits' as part, profile_id, name, value, false as chosen from given where times = 1
      union all
      (select distinct on (given.profile_id, given.name) 'traits', given.profile_id, given.name, t.value, true
        from given
        join own on own.profile_id = given.profile_id
        cross join lateral (
          select value, time, event_id from current_traits
          where workspace_id = ${workspaceId}::uuid and identifier = own.sequence and name = given.name offset 0) t
        where given.times > 1 order by given.profile_id, given.name, t.time desc, t.event_id desc)
      union all
      (select distinct on (profile_id, type) 'identifiers', profile_id, type, to_json(value)::text, false from own
        where type = any((select ${identifiers}::text[])::text[]) order by profile_id, type, sequence desc)
      union all
      select 'audiences', p.profile_id, a.id::text, (m.profile_id is not null)::text, false
        from (select distinct profile_id from asked) p
        join audiences a on a.workspace_id = ${workspaceId}::uuid
          and a.id = any((select ${audiences.filter((id) => uuid.test(id))}::uuid[])::uuid[])
        left join audience_members m on m.audience_id = a.id and m.profile_id = p.profile_id),
    found as materialized (
      select part, profile_id, to_json(name)::text || ':' || value as member,
        octet_length(name) + octet_length(value) as size, chosen
      from parts),
    texts as (
      select profile_id, coalesce(sum(size) > ${maxProfileBytes}, false) as cut, bool_or(chosen) as chosen,
        ${textOfParts} as json
      from found group by profile_id)
    select asked.place::integer, asked.profile_id, coalesce(texts.cut, false) as cut,
      coalesce(texts.chosen, false) as chosen,
      case when texts.cut then (
        select ${textOfParts} from (
          select part, member, sum(size) over (order by size, part, member rows unbounded preceding) as until
          from found where profile_id = texts.profile_id) sized
        where until <= ${maxProfileBytes})
      else coalesce(texts.json, ${emptyProfile}) end as json
    from asked left join texts on texts.profile_id = asked.profile_id
    where asked.profile_id not in (select profile_id from suppressed)`.execute(db)
  return rows
}

/** The values of a profile that has none of the needed ones. */
const emptyProfile = jsonText(profileParts.map((part) => [part, '{}']))

const without = (lacks: string): ReadProfile => ({ profile: { ...noProfile, lacks }, changesWith: undefined })
const unknown = without(profileLacks.unknown)
const tooMany = without('the profiles of the events beside it take more than 8 MB')

/**
 * Reads the profiles with the given identifiers, with one query for each 200, and one more if their consent is needed. Resolves to the values by
 * `identifierKey`. Once the values take 8 MB, the other profiles are not read.
 */
export const readProfileValues = async (
  db: Kysely<Database>,
  workspaceId: string,
  owners: readonly Identifier[],
  needs: readonly string[],
): Promise<Map<string, ReadProfile>> => {
  const found = new Map<string, ReadProfile>()
  const changesAlone = needs.includes(consentNeed) || profileNeeds(needs).audiences.length > 0
  let bytes = 0
  for (let at = 0; at < owners.length; at += ownersPerQuery) {
    const asked = owners.slice(at, at + ownersPerQuery)
    const isFull = bytes >= maxLookBytes
    for (const owner of asked) found.set(identifierKey(owner), isFull ? tooMany : unknown)
    if (isFull) continue
    const rows = await readRows(db, workspaceId, asked, needs)
    for (const { place, json, cut, profile_id, chosen } of rows) {
      const owner = asked[place - 1]
      if (owner === undefined) continue
      bytes += json.length
      found.set(identifierKey(owner), {
        profile: { json, lacks: cut ? profileLacks.tooLarge : '' },
        changesWith: changesAlone || chosen ? undefined : shortId(profile_id),
      })
    }
  }
  if (!needs.includes(consentNeed)) return found
  for (const [key, consent] of await readConsents(db, workspaceId, owners)) {
    const read = found.get(key)
    // A suppressed profile is not known.
    if (read !== undefined && read.profile.lacks !== profileLacks.unknown)
      found.set(key, { ...read, profile: { ...read.profile, consent } })
  }
  return found
}
