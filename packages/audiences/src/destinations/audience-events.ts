import type { Db } from '@tributary/api-kit'
import { audienceEventNames, type PipelineEvent } from '@tributary/contract'
import { jsonText } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ReportedChange } from './changes.ts'

/**
 * Maximum total size of the traits in an event, in bytes. Traits are in alphabetical order; traits beyond the limit are
 * omitted.
 */
const traitBytes = 16 * 1024

/**
 * The current values of a profile: identifiers in the order in which they were first seen, and traits as JSON text by
 * name.
 */
export type ReportedProfile = {
  identifiers: readonly { type: string; value: string }[]
  traits: readonly (readonly [name: string, json: string])[]
}

/** The reason why a destination receives existing members, and when that was requested. */
export type Fill = { kind: 'first_fill' | 'resend'; time: Date }

type Member = readonly [name: string, text: string]

const valuesOf = ({ identifiers }: ReportedProfile, type: string): string[] =>
  identifiers.filter((each) => each.type === type).map(({ value }) => value)

/** Returns identifiers other than user ID and anonymous ID, in the form in which SDKs send them. */
const externalIdsOf = ({ identifiers }: ReportedProfile) =>
  identifiers
    .filter(({ type }) => !['user_id', 'anonymous_id', 'previous_id'].includes(type))
    .map(({ type, value }) => ({ type, id: value, collection: 'users', encoding: 'none' }))

/**
 * Returns the event that reports to a destination that a profile entered or left. It is a `track` call with the first
 * user ID and anonymous ID of the profile, as JSON text that delivery splits without parsing. The message ID is `id`,
 * so that an event that is created again is the same message. For an existing member, the time is the time of the fill,
 * because destinations refuse old events.
 */
export const audienceEventText = (
  audience: { id: string; title: string },
  { kind, profileId, time }: Pick<ReportedChange, 'kind' | 'profileId' | 'time'>,
  profile: ReportedProfile,
  { id, fill }: { id: string; fill?: Fill | undefined },
): string => {
  const at = (fill?.time ?? time).toISOString()
  const [userIds, anonymousIds] = [valuesOf(profile, 'user_id'), valuesOf(profile, 'anonymous_id')]
  const json = (value: unknown): string => JSON.stringify(value)
  const one = (name: keyof PipelineEvent, [value]: readonly string[]): Member[] =>
    value === undefined ? [] : [[name, json(value)]]
  const external = externalIdsOf(profile)
  const context: Member[] = [
    ['traits', jsonText(profile.traits)],
    ...(external.length === 0 ? [] : [['externalIds', json(external)] as const]),
  ]
  const properties = {
    audience_id: audience.id,
    audience_title: audience.title,
    profile_id: profileId,
    user_ids: userIds,
    anonymous_ids: anonymousIds,
    changed_at: time.toISOString(),
    first_fill: fill?.kind === 'first_fill',
    resend: fill?.kind === 'resend',
  }
  const members: Member[] = [
    ['eventId', json(id)],
    ['messageId', json(id)],
    ['type', '"track"'],
    ['event', json(audienceEventNames[kind])],
    ...one('userId', userIds),
    ...one('anonymousId', anonymousIds),
    ['properties', json(properties)],
    ['context', jsonText(context)],
    ['test', 'false'],
    // Delivery drops the event when its user is deleted after this time.
    ['receivedAt', json(at)],
    ['timestamp', json(at)],
  ]
  return jsonText(members)
}

/**
 * Reads profiles with their current values. A merged profile is read as the profile that it became. Deleted profiles
 * are omitted, because they have no values.
 */
export const readReportedProfiles = async (
  db: Db,
  workspaceId: string,
  profileIds: readonly string[],
): Promise<ReadonlyMap<string, ReportedProfile>> => {
  if (profileIds.length === 0) return new Map()
  const now = sql`
    recursive found as (
      select id as asked, id from unnest(${profileIds}::uuid[]) as asked (id)
      union
      select found.asked, p.merged_into from found
      join profiles p on p.workspace_id = ${workspaceId}::uuid and p.id = found.id and p.merged_into is not null
    ), known as (
      select found.asked, i.type, i.value, i.sequence from found
      join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.profile_id = found.id
    )`
  const { rows: identifiers } = await sql<{ asked: string; type: string; value: string }>`
    with ${now} select asked, type, value from known order by sequence`.execute(db)
  const { rows: traits } = await sql<{ asked: string; name: string; value: string }>`
    with ${now}, latest as (
      select distinct on (known.asked, t.name) known.asked, t.name, t.value from known
      join current_traits t on t.workspace_id = ${workspaceId}::uuid and t.identifier = known.sequence
      where t.name <> '' order by known.asked, t.name, t.time desc, t.event_id desc
    ), sized as (
      select *, sum(octet_length(name) + octet_length(value)) over (partition by asked order by name) as bytes
      from latest where value is not null
    )
    select asked, name, value from sized where bytes <= ${traitBytes} order by name`.execute(db)
  const traitsOf = Map.groupBy(traits, ({ asked }) => asked)
  return new Map(
    [...Map.groupBy(identifiers, ({ asked }) => asked)].map(([id, known]) => [
      id,
      {
        identifiers: known.map(({ type, value }) => ({ type, value })),
        traits: (traitsOf.get(id) ?? []).map(({ name, value }) => [name, value] as const),
      },
    ]),
  )
}
