import type { Db, Tx } from '@tributary/api-kit'
import { faultPoint } from '@tributary/kernel'
import type { LogWriter } from '@tributary/storage'
import { sql } from 'kysely'
import { audienceEventText } from './audience-events.ts'
import { audienceRecord } from './records.ts'

/** Maximum events per record of the stream. */
const eventsAtOnce = 50

/**
 * Records, in the transaction of a deletion, the destinations that must receive exits of the deleted profiles. These
 * are the destinations whose last received change of such a profile is an entry. `person` is the index of the deleted
 * profile among those of the request.
 */
export const noteFarewells = async (
  tx: Tx,
  { id, workspaceId }: { id: string; workspaceId: string },
  { sequence, profiles }: { sequence: number; profiles: number },
): Promise<void> => {
  // The locks stop sending until the transaction ends.
  await sql`select from audience_destinations where workspace_id = ${workspaceId}::uuid order by id for update`.execute(
    tx,
  )
  await sql`
    with recursive gone as (
      select profile_id as id, profile_id as top, (sequence - ${sequence - profiles + 1})::integer as person
      from identity_operations where workspace_id = ${workspaceId}::uuid and kind = 'erase'
        and sequence > ${sequence - profiles} and sequence <= ${sequence}
      union
      select o.other_id, gone.top, gone.person from gone join identity_operations o
        on o.workspace_id = ${workspaceId}::uuid and o.profile_id = gone.id and o.kind = 'merge'
    )
    insert into audience_farewells (request_id, connection_id, person, profile_id)
    select distinct ${id}::uuid, c.id, gone.person, gone.top
    from gone cross join audience_destinations c
    cross join lateral (
      select kind from audience_changes e where e.audience_id = c.audience_id and e.profile_id = gone.id
        and e.id <= c.sent_change order by e.id desc limit 1
    ) as last
    where c.workspace_id = ${workspaceId}::uuid and last.kind = 'entered'
      and (c.state <> 'filling' or gone.id <= c.fill_cursor or c.run > 0)
    on conflict do nothing`.execute(tx)
}

type Row = {
  id: string
  workspace_id: string
  audience_id: string
  destination_id: string
  title: string
  person: number
  profile_id: string
  create_time: Date
}

/**
 * Creates the function that sends the exits of deleted profiles, with the identifiers that they had. An exit has the
 * time of the deletion, so that delivery keeps no sample of the event. An exit that was appended but not recorded,
 * because the process was killed, is appended again under the same ID.
 */
export const createFarewells =
  ({ db, stream }: { db: Db; stream: Pick<LogWriter, 'appendGroup'> }) =>
  async (requestId: string): Promise<void> => {
    const { rows } = await sql<Row>`
      select c.id, c.workspace_id, c.audience_id, c.destination_id, a.title, f.person, f.profile_id, r.create_time
      from audience_farewells f join privacy_requests r on r.id = f.request_id join audience_destinations c on c.id = f.connection_id
      join audiences a on a.id = c.audience_id join destinations d on d.id = c.destination_id
      where f.request_id = ${requestId}::uuid and d.delete_time is null order by c.id, f.person`.execute(db)
    if (rows.length === 0) return
    const identifiers = await db
      .selectFrom('privacy_identifiers')
      .select(['type', 'value', 'person'])
      .where('request_id', '=', requestId)
      .execute()
    const people = Map.groupBy(identifiers, ({ person }) => person)
    for (const own of Map.groupBy(rows, ({ id }) => id).values())
      for (let at = 0; at < own.length; at += eventsAtOnce) {
        const some = own.slice(at, at + eventsAtOnce)
        const events = some.map(({ id, audience_id, title, person, profile_id: profileId, create_time }) => ({
          profileId,
          text: audienceEventText(
            { id: audience_id, title },
            { kind: 'left', profileId, time: create_time },
            { identifiers: people.get(person) ?? [], traits: [] },
            { id: `${id}-deleted-${profileId}` },
          ),
        }))
        const [first] = some
        if (first === undefined) continue
        await stream.appendGroup([audienceRecord(first, events)])
        faultPoint('audience-farewells.after-append')
        await db
          .deleteFrom('audience_farewells')
          .where('request_id', '=', requestId)
          .where('connection_id', '=', first.id)
          .where(
            'profile_id',
            'in',
            some.map(({ profile_id }) => profile_id),
          )
          .execute()
      }
  }
