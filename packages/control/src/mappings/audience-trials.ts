import type { Db } from '@tributary/api-kit'
import { audienceEventText, readReportedProfiles } from '@tributary/audiences'
import { audienceEventNames, type PipelineEvent } from '@tributary/contract'
import { sql } from 'kysely'

/** The entries and exits to read for a destination: the latest ones of an event name, or the one with this event ID. */
type Wanted = { event: string; limit: number } | { eventId: string }

type Row = {
  connection: string
  audience_id: string
  title: string
  change: string
  kind: 'entered' | 'left'
  profile_id: string
  time: Date
}

/**
 * The form of an event ID that a connection of an audience makes: the ID of the connection and of the entry or exit.
 */
const changeId = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(\d{1,18})$/

const changesOf = async (db: Db, workspaceId: string, destinationId: string, wanted: Wanted): Promise<Row[]> => {
  const one = 'eventId' in wanted ? changeId.exec(wanted.eventId) : undefined
  if (one === null) return []
  const kind = 'event' in wanted && wanted.event === audienceEventNames.left ? 'left' : 'entered'
  const { rows } = await sql<Row>`
    select c.id as connection, c.audience_id, a.title, e.id as change, e.kind, e.profile_id, e.time
    from audience_destinations c join audiences a on a.id = c.audience_id
    cross join lateral (
      select id, kind, profile_id, time from audience_changes
      where audience_id = c.audience_id and ${
        one !== undefined
          ? sql`id = ${one[2]}::bigint`
          : 'event' in wanted && wanted.event !== ''
            ? sql`kind = ${kind}`
            : sql`true`
      }
      order by id desc limit ${'limit' in wanted ? wanted.limit : 1}
    ) as e
    where c.workspace_id = ${workspaceId}::uuid and c.destination_id = ${destinationId}::uuid
      and ${one !== undefined ? sql`c.id = ${one[1]}::uuid` : sql`true`}
    order by e.time desc, e.id desc limit ${'limit' in wanted ? wanted.limit : 1}`.execute(db)
  return rows
}

/**
 * Reads the latest audience events of a destination, newest first, or the one with this ID. Makes them with current
 * data, and leaves out deleted users.
 */
export const readAudienceTrials = async (
  db: Db,
  { workspaceId, destinationId }: { workspaceId: string; destinationId: string },
  wanted: Wanted,
): Promise<{ sourceId: string; json: string; time: number }[]> => {
  const rows = await changesOf(db, workspaceId, destinationId, wanted)
  const profiles = await readReportedProfiles(db, workspaceId, [...new Set(rows.map(({ profile_id }) => profile_id))])
  return rows.flatMap(({ connection, audience_id, title, change, kind, profile_id: profileId, time }) => {
    const profile = profiles.get(profileId)
    if (profile === undefined) return []
    const audience = { id: audience_id, title }
    const json = audienceEventText(audience, { kind, profileId, time }, profile, { id: `${connection}-${change}` })
    return [{ sourceId: audience_id, json, time: time.getTime() }]
  })
}

/**
 * Makes sample events of an audience that the destination receives, without values of people. Returns none if it
 * receives no audience.
 */
export const readAudienceSamples = async (db: Db, destinationId: string): Promise<PipelineEvent[]> => {
  const row = await db
    .selectFrom('audience_destinations')
    .innerJoin('audiences', 'audiences.id', 'audience_destinations.audience_id')
    .select(['audiences.id', 'audiences.title'])
    .where('destination_id', '=', destinationId)
    .orderBy('audience_destinations.create_time')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return []
  const time = new Date(0)
  return (['entered', 'left'] as const).map((kind) => {
    const change = { kind, profileId: '00000000-0000-0000-0000-000000000000', time }
    return JSON.parse(audienceEventText(row, change, { identifiers: [], traits: [] }, { id: '' })) as PipelineEvent
  })
}
