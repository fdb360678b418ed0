declare const made: unique symbol

/** A part of a statement that names no table: made of columns, operators and placeholders. Values are parameters. */
export type Condition = string & { readonly [made]: 'condition' }

/** Writes a condition. What is put in is another condition or a placeholder, never a value. */
export const condition = (parts: TemplateStringsArray, ...inside: readonly Condition[]): Condition =>
  String.raw({ raw: parts }, ...inside) as Condition

/** Conditions joined by an operator, in brackets; with none of them what holds for an empty list. */
export const joined = (conditions: readonly Condition[], operator: 'and' | 'or'): Condition => {
  const [first = (operator === 'and' ? 'true' : 'false') as Condition] = conditions
  return conditions.length < 2 ? first : (`(${conditions.join(` ${operator} `)})` as Condition)
}

/** A statement of the event store that reads one workspace. Made by `statementOfEvents` only. */
export type EventsStatement = {
  readonly [made]: 'events'
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
  /** How many sets of profiles it answers, as `set_0` … and their sizes as `size_0` …. */
  readonly sets: number
}

/** Parameters of a statement of the event store while it is written. */
export type EventsParams = {
  /** The placeholder of a value of a type. */
  add(
    name: string,
    type:
      | 'String'
      | 'Identifier'
      | 'Int64'
      | 'UInt64'
      | 'Float64'
      | 'Array(String)'
      | 'Array(Float64)'
      | 'Array(UInt64)',
    value: unknown,
  ): Condition
}

export const createEventsParams = (): EventsParams & { values: Record<string, unknown> } => {
  const values: Record<string, unknown> = {}
  let serial = 0
  return {
    values,
    add(name, type, value) {
      const key = `${name}_${serial++}`
      values[key] = value
      return `{${key}:${type}}` as Condition
    },
  }
}

/** What is counted of the events of each profile, and which counts put it into a set. */
export type CountedEvents = { readonly where: Condition; readonly count: (column: Condition) => Condition }

/** A profile with what the event store knows its identifiers by, as decimal numbers. */
export type Person = { readonly id: string; readonly owners: readonly string[] }

/**
 * Whose ids begin with less than a share of all numbers: one profile of `share` (a power of two), the same ones each time. Ids are hashes,
 * so that who they are has nothing to do with what is asked of them.
 */
export type Sample = { readonly share: number }

/** The first number that is too large for a sample, as the event store knows profiles. */
const endOfSample = ({ share }: Sample): bigint => 2n ** 64n / BigInt(share)

/** The first id of a profile that is not in a sample. */
export const idAfterSample = (sample: Sample): string =>
  `${endOfSample(sample).toString(16).padStart(16, '0')}${'0'.repeat(16)}`

/** What the event store knows a profile by, as a decimal number. */
const ownerOfProfile = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '').slice(0, 16)}`)

/** Profiles that one set holds at most; with one more it is too large. */
export const setLimit = 1_000_000

const own = 'workspace_id = {workspace:String} and owner != 0'

/** The profile of an owner by what the event store knows of those that joined another one. */
const profileOfSeen = 'if(joined.profile = 0, seen.owner, joined.profile)'
const joinProfiles = `
  left join (
    select owner, argMax(profile, version) as profile from profile_owners where ${own} group by owner
  ) as joined on joined.owner = seen.owner`

/** The columns of the set of a number: those for whom a condition is true. */
const setColumns = (index: number, where: string): string[] => [
  `groupArrayIf(${setLimit + 1})(toString(toInt64(profile)), ${where}) as members_${index}`,
  `length(members_${index}) as size_${index}`,
  `concat('{', arrayStringConcat(members_${index}, ','), '}') as set_${index}`,
]

/** The profiles that have an event for which a condition is true, as a set: of the same events as `statementOfEvents` counts. */
export const statementOfSeen = (
  workspaceId: string,
  where: Condition,
  params: ReturnType<typeof createEventsParams>,
): EventsStatement => {
  const text = `select ${setColumns(0, 'true').join(',\n  ')}
from (
  select distinct ${profileOfSeen} as profile
  from (
    select distinct owner from events where ${own} and status = 'accepted' and not test and ${where}
  ) as seen${joinProfiles}
)`
  return { text, params: { ...params.values, workspace: workspaceId }, sets: 1 } as unknown as EventsStatement
}

/**
 * The sets of profiles whose events come to a count. Only here events and owners are read: of one workspace, accepted, no
 * tests, of somebody, received by `as_of`. `any` is true for every event that is counted, and keeps others from being looked at.
 * Given `people`, only their events are counted, for the profiles that their identifiers are in by what is given, which may be
 * newer than what the event store knows. Of a sample, sets hold its profiles only.
 */
export const statementOfEvents = (
  workspaceId: string,
  counted: readonly CountedEvents[],
  any: Condition,
  params: ReturnType<typeof createEventsParams>,
  { people, sample }: { people?: readonly Person[] | undefined; sample?: Sample | undefined } = {},
): EventsStatement => {
  const pairs = people?.flatMap(({ id, owners }) => owners.map((owner) => [BigInt(owner), ownerOfProfile(id)] as const))
  const owners =
    pairs &&
    params.add(
      'owners',
      'Array(UInt64)',
      pairs.map(([owner]) => owner),
    )
  const ofOwners =
    pairs &&
    params.add(
      'profiles',
      'Array(UInt64)',
      pairs.map(([, profile]) => profile),
    )
  const profile = owners === undefined ? profileOfSeen : `transform(seen.owner, ${owners}, ${ofOwners}, toUInt64(0))`
  const within = sample && `\n  where ${profile} < ${params.add('sample', 'UInt64', String(endOfSample(sample)))}`
  const columns = counted.map((_, index) => `c${index}`)
  const sets = counted.flatMap(({ count }, index) => setColumns(index, count(`c${index}` as Condition)))
  const text = `select ${sets.join(',\n  ')}
from (
  select ${profile} as profile,
    ${columns.map((column) => `sum(seen.${column}) as ${column}`).join(', ')}
  from (
    select owner,
      ${counted.map(({ where }, index) => `countIf(${where}) as c${index}`).join(',\n      ')}
    from events
    ${owners === undefined ? 'where' : `prewhere owner in ${owners} where`} ${own} and status = 'accepted' and not test and ${any}
    group by owner
  ) as seen${owners === undefined ? joinProfiles : ''}${within ?? ''}
  group by profile
)
settings precise_float_parsing = 1`
  return {
    text,
    params: { ...params.values, workspace: workspaceId },
    sets: counted.length,
  } as unknown as EventsStatement
}

/** A set that the statement of the event store answers, by its number, where a statement of profiles has a parameter. */
export type SetParam = { readonly set: number }

/** A statement of the relational store that reads one workspace, whose id is the first parameter. Made by `statementOfProfiles` only. */
export type ProfilesStatement = {
  readonly [made]: 'profiles'
  /** Ends with a common table expression `members (id, sequence, …)`; what is asked of it follows. */
  readonly text: string
  /** The same of the same parameters, for when few profiles are left by other conditions: traits are looked up one by one. */
  readonly narrow: string
  /** How many profiles are left by conditions on events at most, by the sizes of the sets. */
  readonly most: Most
  readonly params: readonly (string | number | readonly string[] | SetParam)[]
}

/** A bound that follows from the sizes of sets. */
export type Most = (sizes: readonly number[]) => number

/** Parameters of a statement of profiles while it is written; the first is the workspace. */
export const createProfilesParams = (workspaceId: string) => {
  const values: (string | number | readonly string[] | SetParam)[] = [workspaceId]
  return {
    values,
    add(
      type: 'text' | 'text[]' | 'float8' | 'float8[]' | 'bigint[]' | 'int8range' | 'uuid' | 'uuid[]' | 'integer',
      value: (typeof values)[number],
    ): Condition {
      values.push(value)
      return `$${values.length}::${type}` as Condition
    },
  }
}
export type ProfilesParams = ReturnType<typeof createProfilesParams>

/** The latest of each trait, for many profiles: in one pass, and by time only where several identifiers of a profile have it. */
const traitsOfMany = (placeholders: readonly Condition[], only: (id: string) => string): string => {
  const counted = placeholders.map(
    (name, index) =>
      `count(*) filter (where t.name = ${name}) as n${index}, min(coalesce(t.value, '')) filter (where t.name = ${name}) as v${index}`,
  )
  const latest = placeholders.map(
    (name, index) =>
      `case when n${index} = 1 then v${index} when n${index} > 1 then ${latestTrait(name, 'found.profile_id')} end as t${index}`,
  )
  return `found as (
  select i.profile_id, ${counted.join(',\n    ')}
  from profile_traits t
  join profile_identifiers i on i.workspace_id = t.workspace_id and i.sequence = t.identifier
  where t.workspace_id = $1::uuid and t.name in (${placeholders.join(', ')})${only('i.profile_id')}
  group by i.profile_id
), traits as materialized (
  select profile_id, ${latest.join(',\n    ')}
  from found
), `
}

const latestTrait = (name: Condition, profile: 'found.profile_id' | 'p.id'): string => `(
    select coalesce(t.value, '') from profile_identifiers i
    join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence and t.name = ${name}
    where i.workspace_id = $1::uuid and i.profile_id = ${profile} order by t.time desc, t.event_id desc limit 1)`

/**
 * The profiles of a workspace that are not suppressed and meet a condition on `p.owner`, `p.named` (whether a user id is known) and `traits.t0` …: the
 * latest of each trait of `names`, as JSON text, '' when it was too large, null when there is none. Given several conditions,
 * all profiles, and in `met` which of the conditions each of them meets. Given `people` or a sample, only these are looked at.
 */
export const statementOfProfiles = (
  params: ProfilesParams,
  names: readonly string[],
  where: Condition | readonly Condition[],
  {
    people,
    sample,
    most = () => people?.length ?? Number.POSITIVE_INFINITY,
  }: { people?: readonly Person[] | undefined; sample?: Sample | undefined; most?: Most } = {},
): ProfilesStatement => {
  const ids =
    people &&
    params.add(
      'uuid[]',
      people.map(({ id }) => id),
    )
  const end = sample && params.add('uuid', idAfterSample(sample))
  const only = (id: string): string =>
    `${ids === undefined ? '' : ` and ${id} = any(${ids})`}${end === undefined ? '' : ` and ${id} < ${end}`}`
  const placeholders = names.map((name) => params.add('text', name))
  const met = typeof where === 'string' ? '' : `, array[${where.join(',\n    ')}]::boolean[] as met`
  const statement = (before: string, join: string): string => `with ${before}members as materialized (
  select p.id, p.sequence${met}
  from (
    select id, sequence, ('x' || left(replace(id::text, '-', ''), 16))::bit(64)::bigint as owner
    from profiles where workspace_id = $1::uuid and merged_into is null${only('id')}
  ) as p${join}
  where p.id not in (
    select i.profile_id from privacy_hashes h
    join profile_identifiers i on i.workspace_id = h.workspace_id and i.sequence = h.identifier
    where h.workspace_id = $1::uuid and h.suppress_time is not null
  )${typeof where === 'string' ? ` and ${where}` : ''}
)`
  const oneByOne = placeholders.map((name, index) => `${latestTrait(name, 'p.id')} as t${index}`)
  const text =
    names.length === 0
      ? statement('', '')
      : statement(traitsOfMany(placeholders, only), '\n  left join traits on traits.profile_id = p.id')
  const narrow =
    names.length === 0 ? text : statement('', `\n  cross join lateral (select ${oneByOne.join(', ')}) as traits`)
  return { text, narrow, most, params: params.values } as unknown as ProfilesStatement
}
