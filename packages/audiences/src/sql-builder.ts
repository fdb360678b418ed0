import { holdersOf, latestTrait, traitsOfMany } from './trait-sql.ts'

// One file, because only its functions may make the branded texts of statements.

declare const made: unique symbol

/** A part of a statement that contains only columns, operators and placeholders. Values are passed as parameters. */
export type Condition = string & { readonly [made]: 'condition' }

/** Writes a condition. Its parts are conditions or placeholders, never values. */
export const condition = (parts: TemplateStringsArray, ...inside: readonly Condition[]): Condition =>
  String.raw({ raw: parts }, ...inside) as Condition

/** Joins conditions by an operator, in parentheses. For an empty list: true for `and`, false for `or`. */
export const joined = (conditions: readonly Condition[], operator: 'and' | 'or'): Condition => {
  const [first = (operator === 'and' ? 'true' : 'false') as Condition] = conditions
  return conditions.length < 2 ? first : (`(${conditions.join(` ${operator} `)})` as Condition)
}

/**
 * A statement of the event store that reads one workspace. Only `statementOfEvents` and `statementOfSeen` create it.
 */
export type EventsStatement = {
  readonly [made]: 'events'
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
  /**
   * The number of sets of profiles that the statement returns. Each row is a chunk of the profiles that are in any set.
   * The column `owners` lists each profile once. The columns `bits_0` … list, in the same order, the sets that contain
   * the profile. The columns `size_0` … are the sizes of the sets within the chunk.
   */
  readonly sets: number
}

/** The parameters of a statement of the event store while it is built. */
export type EventsParams = {
  /** Adds a value of a type, and returns its placeholder. */
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

/** The events that are counted for each profile, and the rule by which a profile is in a set, from its count. */
export type CountedEvents = { readonly where: Condition; readonly count: (column: Condition) => Condition }

/** A profile with the numbers of its identifiers in the event store, as decimal numbers. */
export type Person = { readonly id: string; readonly owners: readonly string[] }

/**
 * A fixed sample with one of `share` profiles (a power of two). The sample contains the profiles whose IDs are below a
 * bound. IDs are hashes, so the sample does not depend on any property of the profiles.
 */
export type Sample = { readonly share: number }

/** Returns the first profile number of the event store that is not in a sample. */
const endOfSample = ({ share }: Sample): bigint => 2n ** 64n / BigInt(share)

/** Returns the first profile ID that is not in a sample. */
export const idAfterSample = (sample: Sample): string =>
  `${endOfSample(sample).toString(16).padStart(16, '0')}${'0'.repeat(16)}`

/** Returns the number of a profile in the event store, as a decimal number. */
const ownerOfProfile = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '').slice(0, 16)}`)

/** Maximum profiles in one set. A larger set is refused. */
export const setLimit = 1_000_000

/**
 * Number of profiles per row of a response. Reading one row, or sending it to the other store, takes a thread about 1
 * ms.
 */
const chunkSize = 10_000
/** Maximum profiles in all sets together. The event store refuses a statement with more. */
export const profileLimit = 5 * setLimit
const limitChunks = `max_result_rows = ${profileLimit / chunkSize}, result_overflow_mode = 'throw'`

const own = 'workspace_id = {workspace:String} and owner != 0'

/**
 * An SQL expression for the profile to which an owner belongs after the merges in the event store. An owner without a
 * merge is its own profile.
 */
const profileOfSeen = 'if(joined.profile = 0, seen.owner, joined.profile)'
const joinProfiles = `
  left join (
    select owner, argMax(profile, version) as profile from profile_owners where ${own} group by owner
  ) as joined on joined.owner = seen.owner`

/** Number of sets per word. Their bits must fit into a signed number of 64 bits. */
const setsOfWord = 60
const wordOf = (set: number): number => Math.floor(set / setsOfWord)
const bitOf = (set: number): bigint => 1n << BigInt(set % setsOfWord)

/** Returns the numbers from 0 to `count` - 1. */
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/**
 * Returns the statement that selects sets of the profiles from the statement `from`, which has a column `profile`. A
 * profile is in set `i` if `conditions[i]` is true.
 */
const selectSets = (conditions: readonly string[], from: string): string => {
  const sets = range(conditions.length)
  const words = range(wordOf(conditions.length - 1) + 1)
  const bits = words.map(
    (word) =>
      `${sets
        .filter((set) => wordOf(set) === word)
        .map((set) => `bitShiftLeft(toInt64(s${set}), ${set % setsOfWord})`)
        .join(' + ')} as b${word}`,
  )
  const column = (place: number, name: string): string =>
    `concat('{', arrayStringConcat(arrayMap(each -> toString(each.${place}), found), ','), '}') as ${name}`
  return `select ${[...sets.map((set) => `size_${set}`), column(1, 'owners'), ...words.map((word) => column(word + 2, `bits_${word}`))].join(',\n  ')}
from (
  select ${sets.map((set) => `countIf(s${set}) as size_${set}`).join(', ')},
    groupArray((toInt64(profile), ${words.map((word) => `b${word}`).join(', ')})) as found
  from (
    select *, intDiv(rowNumberInAllBlocks(), {chunk:UInt64}) as chunk from (
      select profile, ${conditions.map((where, set) => `${where} as s${set}`).join(', ')},
        ${bits.join(',\n        ')}
      from (
${from}
      )
    )
    where ${words.map((word) => `b${word} != 0`).join(' or ')}
  )
  group by chunk
)`
}

/**
 * Returns the statement for the set of profiles with an event that meets a condition. Like `statementOfEvents`, it
 * reads only accepted, non-test events that have a user.
 */
export const statementOfSeen = (
  workspaceId: string,
  where: Condition,
  params: ReturnType<typeof createEventsParams>,
): EventsStatement => {
  const text = selectSets(
    ['true'],
    `  select distinct ${profileOfSeen} as profile
  from (
    select distinct owner from events where ${own} and status = 'accepted' and not test and ${where}
  ) as seen${joinProfiles}`,
  )
  return {
    text: `${text}\nsettings ${limitChunks}`,
    params: { ...params.values, workspace: workspaceId, chunk: chunkSize },
    sets: 1,
  } as unknown as EventsStatement
}

/**
 * Returns the statement that counts the events of each profile, and selects sets of profiles by the counts. It reads
 * accepted, non-test events of one workspace that have a user. Every counted event meets `any`, so that all other
 * events are skipped early. With `people`, it reads only the events of their identifiers, and each event counts for the
 * given profile. So merges that the event store does not have yet are included. With a sample, sets contain only
 * profiles of the sample.
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
  const text = `${selectSets(
    counted.map(({ count }, index) => count(`c${index}` as Condition)),
    `  select ${profile} as profile,
    ${columns.map((column) => `sum(seen.${column}) as ${column}`).join(', ')}
  from (
    select owner,
      ${counted.map(({ where }, index) => `countIf(${where}) as c${index}`).join(',\n      ')}
    from events
    ${owners === undefined ? 'where' : `prewhere owner in ${owners} where`} ${own} and status = 'accepted' and not test and ${any}
    group by owner
  ) as seen${owners === undefined ? joinProfiles : ''}${within ?? ''}
  group by profile`,
  )}
settings precise_float_parsing = 1, ${limitChunks}`
  return {
    text,
    params: { ...params.values, workspace: workspaceId, chunk: chunkSize },
    sets: counted.length,
  } as unknown as EventsStatement
}

/** A parameter of a statement of profiles whose value is a column in the result of the event store. */
export type SetParam = { readonly column: string }

/**
 * A statement of the relational store that reads one workspace, whose ID is the first parameter. Only
 * `statementOfProfiles` creates it.
 */
export type ProfilesStatement = {
  readonly [made]: 'profiles'
  /**
   * Returns the text, which ends with a common table expression `members (id, sequence, …)`. A statement that reads
   * `members` must follow. The parameters are the same for each form.
   */
  readonly text: (form: ProfilesForm) => string
  /** Returns the maximum number of profiles that meet the conditions on events, from the sizes of the sets. */
  readonly most: MaxSize
  readonly params: readonly (string | number | readonly string[] | SetParam)[]
}

/**
 * The form of a statement. With `few`, few profiles meet the conditions on events, so their traits are looked up one by
 * one. With `stored`, all chunks of the sets except the last one are in a temporary table.
 */
export type ProfilesForm = { few: boolean; stored: boolean }

/**
 * Returns the statements that create the temporary table for chunks of sets, and add a chunk to it. `columns` is the
 * number of columns: `owners`, `bits_0` ….
 */
export const storeStatements = (columns: number): { create: string; add: string } => {
  const places = range(columns)
  const names = places.map((place) => (place === 0 ? 'owner' : `b${place - 1}`))
  return {
    create: `create temporary table seen_profiles (${names.map((name) => `${name} bigint`).join(', ')}) on commit drop`,
    add: `insert into pg_temp.seen_profiles select * from unnest(${places.map((place) => `$${place + 1}::bigint[]`).join(', ')})`,
  }
}

/** Returns an upper bound from the sizes of sets. */
export type MaxSize = (sizes: readonly number[]) => number

/** Creates the parameters of a statement of profiles while it is built; the first parameter is the workspace. */
export const createProfilesParams = (workspaceId: string) => {
  const values: (string | number | readonly string[] | SetParam)[] = [workspaceId]
  let words = 0
  return {
    values,
    /** Returns a condition for the profiles in a set of the event store. */
    inSet(set: number): Condition {
      words = Math.max(words, wordOf(set) + 1)
      return `coalesce(p.b${wordOf(set)} & ${bitOf(set)} <> 0, false)` as Condition
    },
    /**
     * Returns the function that writes the table `seen` with the used sets; undefined if no set is used. The argument
     * `stored` says whether the temporary table has further chunks.
     */
    seen(): ((stored: boolean) => string) | undefined {
      if (words === 0) return undefined
      const bits = range(words).map((word) => `b${word}`)
      const columns = ['owners', ...range(words).map((word) => `bits_${word}`)]
      const lists = columns.map((column) => this.add('bigint[]', { column }))
      const last = `select * from unnest(${lists.join(', ')}) as seen (of, ${bits.join(', ')})`
      return (stored) => `seen as materialized (
  ${last}${stored ? ` union all select owner, ${bits.join(', ')} from pg_temp.seen_profiles` : ''}
), `
    },
    add(
      type: 'text' | 'text[]' | 'numeric' | 'numeric[]' | 'bigint[]' | 'int8range' | 'uuid' | 'uuid[]' | 'integer',
      value: (typeof values)[number],
    ): Condition {
      values.push(value)
      return `$${values.length}::${type}` as Condition
    },
  }
}
export type ProfilesParams = ReturnType<typeof createProfilesParams>

/**
 * Returns the statement for the profiles of a workspace that are not suppressed and meet a condition. The condition can
 * use `p.owner`, `p.named` (whether a user ID is known) and `traits.t0` …. These are the latest values of `names` as
 * JSON text: '' for a value that was too large, null for none. With several conditions, the statement returns all
 * profiles, and `met` has one boolean for each condition. With `people` or a sample, it reads only these profiles.
 */
export const statementOfProfiles = (
  params: ProfilesParams,
  names: readonly string[],
  where: Condition | readonly Condition[],
  {
    people,
    sample,
    most = () => people?.length ?? Number.POSITIVE_INFINITY,
  }: { people?: readonly Person[] | undefined; sample?: Sample | undefined; most?: MaxSize } = {},
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
  const asked = names.map((name) => ({
    name: params.add('text', name),
    holders: name.includes('.') ? params.add('text[]', holdersOf(name)) : undefined,
  }))
  const met = typeof where === 'string' ? '' : `, array[${where.join(',\n    ')}]::boolean[] as met`
  const seen = params.seen()
  const all = `select id, sequence, ('x' || left(replace(id::text, '-', ''), 16))::bit(64)::bigint as owner
    from profiles where workspace_id = $1::uuid and merged_into is null${only('id')}`
  // `offset 0` keeps PostgreSQL from looking up traits before the join, for profiles that conditions on events exclude.
  const profiles =
    seen === undefined
      ? all
      : `select known.*, seen.* from (
    ${all}
  ) as known left join seen on seen.of = known.owner offset 0`
  const statement = (stored: boolean, before: string, join: string): string =>
    `with ${seen?.(stored) ?? ''}${before}members as materialized (
  select p.id, p.sequence${met}
  from (
    ${profiles}
  ) as p${join}
  where p.id not in (
    select i.profile_id from privacy_hashes h
    join profile_identifiers i on i.workspace_id = h.workspace_id and i.sequence = h.identifier
    where h.workspace_id = $1::uuid and h.suppress_time is not null
  )${typeof where === 'string' ? ` and ${where}` : ''}
)`
  const oneByOne = asked.map((trait, index) => `${latestTrait(trait, 'p.id')} as t${index}`)
  const text = ({ few, stored }: ProfilesForm): string => {
    if (names.length === 0) return statement(stored, '', '')
    return few
      ? statement(stored, '', `\n  cross join lateral (select ${oneByOne.join(', ')}) as traits`)
      : statement(stored, traitsOfMany(asked, only), '\n  left join traits on traits.profile_id = p.id')
  }
  return { text, most, params: params.values } as unknown as ProfilesStatement
}
