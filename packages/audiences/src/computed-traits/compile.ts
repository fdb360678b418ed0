import type { EventCondition } from '@tributary/api-kit'
import { type ComputedTraitDefinition, eventTypes } from '@tributary/contract'
import { withoutEnd } from '@tributary/kernel'
import { propertyCondition, propertyValue } from '../attributes.ts'
import { type Condition, condition, createEventsParams, joined } from '../sql-builder.ts'

/**
 * The profiles whose events are read, by their numbers in the event store: all profiles between two numbers, or a list.
 * With a list, `ids` can have all IDs of its profiles, so that an index finds their events.
 */
export type Scope = { from: bigint; to: bigint } | { profiles: readonly bigint[]; ids?: readonly string[] | undefined }

export type CompileOptions = {
  workspaceId: string
  /** End of the time window, epoch ms. */
  asOf: number
  scope: Scope
  /**
   * The condition for events that were received after their user was suppressed, and do not count. Undefined if no user
   * is suppressed.
   */
  suppressed: EventCondition | undefined
}

/** A row that the statement returns for each profile with a value. */
export type ValueRow = {
  profile: string
  /**
   * The value: JSON text, a number as text, or the sum in billionths, depending on the operation. Null if it is too
   * large.
   */
  value: string | null
  /** Number of counted events. */
  n: string | number
  /** The time of the counted event that will leave the window first, in epoch ms. */
  edge: string | number
}

export type ValuesStatement = { text: string; params: Readonly<Record<string, unknown>> }

/** Maximum size of a value as JSON, in bytes, as for any trait. */
export const valueBytes = 8192
const dayMs = 86_400_000

/** Returns the length of a definition's time window in ms; undefined for all stored events. */
export const windowMs = ({ window_days }: Pick<ComputedTraitDefinition, 'window_days'>): number | undefined =>
  window_days === null ? undefined : window_days * dayMs

const types: ReadonlySet<string> = new Set(eventTypes)
/** The time of an event as given, but never later than it was received. */
const happened = 'least(timestamp, receive_time)'
/** Order of events: ties are ordered by the ID, so that the result is always the same. */
const order = `tuple(${happened}, event_id)`
/** Maximum number that is added up. The sum of billionths has 256 bits. */
const largest = '1e30'

/**
 * How events become a value. `state` is the aggregate state per owner, `value` merges the states of one profile. Only
 * events that meet `has` have a value.
 */
type Gathering = { state: string; value: string; has?: Condition }

const gatheringOf = (
  { operation, property }: ComputedTraitDefinition,
  column: 'properties' | 'traits',
  params: ReturnType<typeof createEventsParams>,
): Gathering => {
  if (operation === 'count') return { state: 'countState()', value: 'toString(countMerge(state))' }
  const { path, number } = propertyValue(property, column, params)
  const json = `toJSONString(${path})`
  const isThere = condition`isNotNull(${path})`
  // Each element of a list counts as a value, and so does any property that is not a list. A null is not a value.
  const known = `ifNull(${json}, 'null')`
  const elements = `arrayFilter(x -> x != 'null', JSONExtractArrayRaw(if(startsWith(${known}, '['), ${known}, concat('[', ${known}, ']'))))`
  const isNotEmpty = `notEmpty(${elements})` as Condition
  const kept = (text: string): string => `if(length(${text}) > ${valueBytes}, null, ${text})`
  switch (operation) {
    case 'sum':
    case 'average': {
      // Numbers are added as whole billionths, so that the sum does not depend on their order.
      const sure = number()
      return {
        state: `sumState(toInt256(round(assumeNotNull(${sure}) * 1e9)))`,
        value: 'toString(sumMerge(state))',
        has: `ifNull(abs(${sure}) <= ${largest}, false)` as Condition,
      }
    }
    case 'minimum':
    case 'maximum': {
      const [gather, sure] = [operation === 'minimum' ? 'min' : 'max', number()]
      return {
        state: `${gather}State(assumeNotNull(${sure}))`,
        value: `toString(${gather}Merge(state))`,
        has: condition`isNotNull(${sure})`,
      }
    }
    case 'unique_count':
      return { state: `uniqExactState(${json})`, value: 'toString(uniqExactMerge(state))', has: isThere }
    case 'unique_values':
      return {
        state: `uniqExactArrayState(${elements})`,
        value: 'toString(uniqExactArrayMerge(state))',
        has: isNotEmpty,
      }
    case 'most_frequent': {
      // Keys are sorted, so that the result is always the same key among equally frequent ones.
      const mode = 'arrayMap(m -> m.1[indexOf(m.2, arrayMax(m.2))], [sumMapMerge(state)])[1]'
      return {
        state: `sumMapState(${elements}, arrayMap(x -> toUInt64(1), ${elements}))`,
        value: kept(mode),
        has: isNotEmpty,
      }
    }
    case 'first':
      return { state: `argMinState(${json}, ${order})`, value: kept('argMinMerge(state)'), has: isThere }
    case 'last':
      return { state: `argMaxState(${json}, ${order})`, value: kept('argMaxMerge(state)'), has: isThere }
  }
}

const own = 'workspace_id = {workspace:String} and owner != 0'

/** Returns conditions on the owner of an event, and on the profile to which the owner belongs after merges. */
const scoped = (scope: Scope, add: (name: string, type: string, value: unknown) => string) => {
  const within = (column: string): string =>
    'from' in scope
      ? `${column} between ${add('from', 'UInt64', scope.from)} and ${add('to', 'UInt64', scope.to)}`
      : `${column} in ${add('profiles', 'Array(UInt64)', scope.profiles)}`
  const known = 'profiles' in scope && scope.ids !== undefined ? add('ids', 'Array(String)', scope.ids) : undefined
  return {
    owner: `(${within('owner')} or owner in (select owner from profile_owners where ${own} and ${within('profile')}))${
      known === undefined ? '' : ` and (user_id in ${known} or anonymous_id in ${known})`
    }`,
    profile: within('whose'),
  }
}

/**
 * Returns the statement that computes a trait for profiles; previews, full passes and changes all use it. It reads
 * accepted, non-test events of one workspace and aggregates them by owner, then by profile. Each value is a parameter.
 * Profiles without such an event are not in the result.
 */
export const compileComputedTrait = (
  definition: ComputedTraitDefinition,
  { workspaceId, asOf, scope, suppressed }: CompileOptions,
): ValuesStatement => {
  const params = createEventsParams()
  const { event, conditions, operation } = definition
  const column = event === 'identify' || event === 'group' ? 'traits' : 'properties'
  const { state, value, has } = gatheringOf(definition, column, params)
  const name = params.add('event', 'String', event)
  const window = windowMs(definition)
  const since = window === undefined ? undefined : params.add('since', 'Int64', asOf - window)
  const where = joined(
    [
      types.has(event) ? condition`(event = ${name} or (event = '' and type = ${name}))` : condition`event = ${name}`,
      // Recent events were also received recently, so the event store can skip all others.
      ...(since === undefined
        ? []
        : [
            condition`receive_time > fromUnixTimestamp64Milli(${since})`,
            condition`least(timestamp, receive_time) > fromUnixTimestamp64Milli(${since})`,
          ]),
      ...(has === undefined ? [] : [has]),
      ...conditions.map((each) => propertyCondition(each, column, params, asOf)),
    ],
    'and',
  )
  const values: Record<string, unknown> = { ...params.values, ...suppressed?.params, workspace: workspaceId }
  const { owner, profile } = scoped(scope, (key, type, given) => {
    values[key] = given
    return `{${key}:${type}}`
  })
  const edge = operation === 'last' ? 'max' : 'min'
  const text = `select toString(whose) as profile, ${value} as value, sum(n) as n,
  toUnixTimestamp64Milli(${edge}(edge)) as edge
from (
  select if(joined.profile = 0, seen.owner, joined.profile) as whose, seen.state as state, seen.n as n, seen.edge as edge
  from (
    select owner, ${state} as state, count() as n, ${edge}(${happened}) as edge
    from events
    where ${own} and status = 'accepted' and not test and ${where}
      and ${owner}${suppressed === undefined ? '' : ` and not (${suppressed.where})`}
    group by owner
  ) as seen
  left join (
    select owner, argMax(profile, version) as profile from profile_owners where ${own} group by owner
  ) as joined on joined.owner = seen.owner
)
where ${profile}
group by whose
settings precise_float_parsing = 1, output_format_json_quote_64bit_integers = 0, output_format_json_escape_forward_slashes = 0`
  return { text, params: values }
}

/** Formats a number of billionths as JSON. */
const ofBillionths = (text: string): string => {
  const billionths = BigInt(text)
  const digits = String(billionths < 0n ? -billionths : billionths).padStart(10, '0')
  const fraction = withoutEnd(digits.slice(-9), '0')
  return `${billionths < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Returns the value of a profile as JSON text; null if it is too large to be stored. */
export const valueOf = (operation: ComputedTraitDefinition['operation'], { value, n }: ValueRow): string | null => {
  if (value === null) return null
  switch (operation) {
    case 'sum':
      return ofBillionths(value)
    case 'average':
      return JSON.stringify(Number(ofBillionths(value)) / Number(n))
    case 'minimum':
    case 'maximum':
      return JSON.stringify(Number(value))
    default:
      return value
  }
}
