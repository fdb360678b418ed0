import { type Db, isId } from '@tributary/api-kit'
import {
  type Profile,
  type ProfileHistoryEntry,
  type ProfileIdentifier,
  type ProfileSummary,
  type ProfileTrait,
  resourceNames,
} from '@tributary/contract'
import { cutText, notFound } from '@tributary/kernel'
import { prepared } from '@tributary/storage'
import { sql } from 'kysely'

/** Maximum number of identifiers that a list shows for each profile. */
const listed = 10
/** Maximum number of entries that are shown of a profile's history. */
const historyLength = 200
/** Maximum number of traits that are shown of a profile. */
const shownTraits = 2000

/**
 * The traits that can be the title of a profile. The first group with a value is used; the values of a group are
 * joined.
 */
const titleTraits = [['name'], ['first_name', 'last_name'], ['firstName', 'lastName'], ['email'], ['username']] as const

type IdentifierRow = { profile_id: string; type: string; value: string; create_time: Date }
type TraitRow = {
  profile_id: string
  name: string
  value: string | null
  time: Date
  event_id: string
  source_id: string
  changed: boolean
  /** Whether the value comes from a computed trait, whose ID is then in `source_id`. */
  computed: boolean
}

/**
 * Returns the ID of the current profile for an ID: the same, or that of the profile into which it was merged. Throws
 * 404 if the profile does not exist.
 */
export const currentProfileId = async (db: Db, workspaceId: string, profileId: string): Promise<string> => {
  const { rows } = isId(profileId)
    ? await sql<{ id: string }>`${prepared('profile-current')}
        with recursive found as (
          select id, merged_into from profiles where workspace_id = ${workspaceId}::uuid and id = ${profileId}::uuid
          union all
          select p.id, p.merged_into from found join profiles p
            on p.workspace_id = ${workspaceId}::uuid and p.id = found.merged_into)
        select id from found where merged_into is null`.execute(db)
    : { rows: [] }
  const [row] = rows
  if (row === undefined) throw notFound('profile not found')
  return row.id
}

/** Reads the identifiers of profiles in the order in which they were first seen. */
export const readIdentifiers = async (
  db: Db,
  workspaceId: string,
  profileIds: readonly string[],
): Promise<IdentifierRow[]> => {
  const { rows } = await sql<IdentifierRow>`${prepared('profile-identifiers')}
    select profile_id, type, value, create_time from profile_identifiers
    where workspace_id = ${workspaceId}::uuid and profile_id = any(${profileIds}::uuid[]) order by sequence`.execute(db)
  return rows
}

/**
 * The time that is shown for the value of a trait. The time column of a computed trait is infinite, to sort it first;
 * the shown time is then in `event_id`.
 */
const shownTime = sql<Date>`case when t.time = 'infinity' then t.event_id::timestamptz else t.time end`

/** Reads the latest value of each trait of profiles, or only of the traits with these names. */
const readTraits = async (
  db: Db,
  workspaceId: string,
  profileIds: readonly string[],
  names?: readonly string[],
): Promise<TraitRow[]> => {
  const { rows } = await sql<TraitRow>`${prepared('profile-traits')}
    select distinct on (i.profile_id, t.name) i.profile_id, t.name, t.value, ${shownTime} as time, t.event_id, t.source_id,
      t.time = 'infinity' as computed,
      t.time <> 'infinity' and (bool_or(t.earlier <> '[]') over same or count(*) over same > 1) as changed
    from profile_identifiers i
    join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence
    where i.workspace_id = ${workspaceId}::uuid and i.profile_id = any(${profileIds}::uuid[])
      and (${names ?? null}::text[] is null or t.name = any(${names ?? null}::text[]))
    window same as (partition by i.profile_id, t.name)
    order by i.profile_id, t.name, t.time desc, t.event_id desc
    limit ${names === undefined ? shownTraits : profileIds.length * names.length}`.execute(db)
  return rows
}

const presentIdentifier = ({ type, value, create_time }: IdentifierRow): ProfileIdentifier => ({
  type,
  value,
  create_time: create_time.toISOString(),
})

/** Returns the value of a trait if it is a text, and otherwise ''. */
const textOf = (traits: readonly TraitRow[], name: string): string => {
  const value: unknown = JSON.parse(traits.find((trait) => trait.name === name)?.value ?? 'null')
  return typeof value === 'string' ? cutText(value.trim(), 200) : ''
}

type SummaryRow = { id: string; create_time: Date }

const summaryOf = (
  workspaceId: string,
  { id, create_time }: SummaryRow,
  identifiers: readonly IdentifierRow[],
  traits: readonly TraitRow[],
): ProfileSummary => {
  const titles = titleTraits.map((names) => names.map((name) => textOf(traits, name)).filter((text) => text !== ''))
  const named = titles.find((parts) => parts.length > 0)?.join(' ')
  const best = identifiers.find(({ type }) => type === 'user_id') ?? identifiers[0]
  // A profile is as old as the earliest event of any of its identifiers. It does not matter with which identifier it
  // began.
  const firstSeen = Math.min(
    ...(identifiers.length === 0 ? [create_time] : identifiers.map((each) => each.create_time)).map(Number),
  )
  return {
    name: resourceNames.profile.format({ workspace: workspaceId, profile: id }),
    title: named ?? best?.value ?? '',
    email: textOf(traits, 'email'),
    identifiers: identifiers.slice(0, listed).map(presentIdentifier),
    identifier_count: identifiers.length,
    create_time: new Date(firstSeen).toISOString(),
  }
}

/** Returns profiles as a list shows them, in the order of the rows. */
export const readSummaries = async (
  db: Db,
  workspaceId: string,
  rows: readonly SummaryRow[],
): Promise<ProfileSummary[]> => {
  const ids = rows.map(({ id }) => id)
  const [identifiers, traits] = await Promise.all([
    readIdentifiers(db, workspaceId, ids),
    readTraits(db, workspaceId, ids, titleTraits.flat()),
  ])
  const identifiersOf = Map.groupBy(identifiers, ({ profile_id }) => profile_id)
  const traitsOf = Map.groupBy(traits, ({ profile_id }) => profile_id)
  return rows.map((row) => summaryOf(workspaceId, row, identifiersOf.get(row.id) ?? [], traitsOf.get(row.id) ?? []))
}

type HistoryRow = {
  kind: 'create' | 'merge' | 'refuse' | 'split'
  profile_id: string
  other_id: string | null
  type: string
  value: string
  by_type: string
  by_value: string
  alias: boolean
  reason: string
  members: { type: string; value: string }[] | null
  event_id: string
  time: Date
}

const readHistory = async (db: Db, workspaceId: string, profileId: string): Promise<HistoryRow[]> => {
  const columns = sql.raw(
    'o.sequence, o.kind, o.profile_id, o.other_id, o.type, o.value, o.by_type, o.by_value, o.alias, o.reason, o.members, o.event_id, o.time',
  )
  const { rows } = await sql<HistoryRow>`${prepared('profile-history')}
    select ${columns} from identity_operations o
      where o.workspace_id = ${workspaceId}::uuid and o.profile_id = ${profileId}::uuid
        and o.kind in ('refuse','split','merge')
    union all
    select ${columns} from identity_operations o
      where o.workspace_id = ${workspaceId}::uuid and o.other_id = ${profileId}::uuid and o.kind = 'split'
    union all
    select ${columns} from profiles p join identity_operations o
      on o.workspace_id = p.workspace_id and o.sequence = p.sequence and o.kind = 'create'
      where p.workspace_id = ${workspaceId}::uuid and p.id = ${profileId}::uuid
    order by sequence desc limit ${historyLength}`.execute(db)
  return rows
}

/** Returns an identifier of the profile history for display. The values of deleted users no longer exist. */
const shownValue = ({ type, value }: { type: string; value: string }): { type: string; value: string } => ({
  type,
  value: value.startsWith('\ufffd') ? '(deleted)' : value,
})

const changes = { create: 'created', merge: 'merged', refuse: 'refused', split: 'split' } as const

const presentEntry = (workspaceId: string, profileId: string, row: HistoryRow): ProfileHistoryEntry => {
  const other = row.other_id === profileId ? row.profile_id : row.other_id
  return {
    change: changes[row.kind],
    time: row.time.toISOString(),
    identifiers: (row.members ?? [{ type: row.type, value: row.value }]).map(shownValue),
    by: row.by_type === '' ? null : shownValue({ type: row.by_type, value: row.by_value }),
    alias: row.alias,
    reason: row.reason,
    profile: other === null ? '' : resourceNames.profile.format({ workspace: workspaceId, profile: other }),
    event: row.event_id === '' ? '' : resourceNames.event.format({ workspace: workspaceId, event: row.event_id }),
  }
}

const presentTrait = (
  workspaceId: string,
  { name, value, time, source_id, event_id, changed, computed }: TraitRow,
): ProfileTrait => ({
  name,
  changed,
  value,
  time: time.toISOString(),
  source: computed
    ? resourceNames.computedTrait.format({ workspace: workspaceId, computed_trait: source_id })
    : resourceNames.source.format({ workspace: workspaceId, source: source_id }),
  event: computed ? '' : resourceNames.event.format({ workspace: workspaceId, event: event_id }),
})

/** Reads a profile with all its data. Throws 404 if it does not exist. */
export const readProfile = async (db: Db, workspaceId: string, profileId: string): Promise<Profile> => {
  const id = await currentProfileId(db, workspaceId, profileId)
  const [row, identifiers, traits, history] = await Promise.all([
    db
      .selectFrom('profiles')
      .select(['id', 'create_time'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
    readIdentifiers(db, workspaceId, [id]),
    readTraits(db, workspaceId, [id]),
    readHistory(db, workspaceId, id),
  ])
  return {
    ...summaryOf(workspaceId, row, identifiers, traits),
    identifiers: identifiers.map(presentIdentifier),
    traits: traits.filter(({ name }) => name !== '').map((trait) => presentTrait(workspaceId, trait)),
    traits_left_out: traits.length === shownTraits || traits.some(({ name }) => name === ''),
    history: history.map((entry) => presentEntry(workspaceId, id, entry)),
    masked: false,
  }
}
