import {
  type AudienceQuery,
  type DatesBetween,
  eventTypes,
  resourceNames,
  type SegmentQuery,
  spanOfDate,
  timeframeMs,
} from '@tributary/contract'
import { propertyCondition, traitCondition } from './attributes.ts'
import { maxSizeOf } from './max-size.ts'
import {
  type Condition,
  type CountedEvents,
  condition,
  createEventsParams,
  createProfilesParams,
  type EventsStatement,
  joined,
  type MaxSize,
  type Person,
  type ProfilesStatement,
  type Sample,
  statementOfEvents,
  statementOfProfiles,
  statementOfSeen,
} from './sql-builder.ts'

export type CompileOptions = {
  workspaceId: string
  /** Epoch ms. */
  asOf: number
  /**
   * Returns the query of another audience by its resource name; undefined for a deleted audience, which has no members.
   */
  queryOf: (audience: string) => AudienceQuery | undefined
  /** Evaluates only these profiles, or all profiles if undefined. */
  people?: readonly Person[]
  /** Evaluates only this share of all profiles. */
  sample?: Sample | undefined
}

/**
 * The members of an audience, as two statements. The event store returns sets of profiles by their events; undefined if
 * no condition is on events. The relational store then selects the members from all profiles.
 */
export type CompiledAudience = { events: EventsStatement | undefined; profiles: ProfilesStatement }

type Event = Pick<SegmentQuery, 'selectedEvent' | 'selectedAttributes' | 'timeframe' | 'dates' | 'count'>

const types: ReadonlySet<string> = new Set(eventTypes)

/**
 * Returns the rule by which a profile is in the set of a count. `others` is true if the profiles outside of the set
 * meet the count. A set contains only profiles with events, so 'at most' and 'exactly 0' exclude the set of profiles
 * with more events.
 */
const ruleOf = ({
  operator,
  value,
}: SegmentQuery['count']): { sign: '>=' | '=' | '>'; value: number; others: boolean } => {
  if (operator === 'at_most') return { sign: '>', value, others: true }
  if (operator === 'exactly' && value > 0) return { sign: '=', value, others: false }
  return { sign: '>=', value: Math.max(value, 1), others: operator === 'exactly' }
}

/** Whether a condition only requires at least zero events. Every profile meets it. */
const isAlways = ({ count }: SegmentQuery): boolean => count.operator === 'at_least' && count.value === 0

/** Creates the collection of the conditions on events, without duplicates. */
const createEvents = ({ workspaceId, asOf, people, sample }: Omit<CompileOptions, 'queryOf'>) => {
  const params = createEventsParams()
  const until = condition`receive_time <= fromUnixTimestamp64Milli(${params.add('as_of', 'Int64', asOf)})`
  const counted = new Map<
    string,
    CountedEvents & { named: Condition; since: number | undefined; from: number | undefined }
  >()
  // Several conditions can share a text. It is written once, so that the event store evaluates it once.
  const written = new Map<string | number, Condition>()
  const once = (key: string | number, write: () => Condition): Condition => {
    const known = written.get(key) ?? write()
    written.set(key, known)
    return known
  }
  const namedOf = (name: string): Condition =>
    once(name, () => {
      const given = params.add('event', 'String', name)
      return types.has(name)
        ? condition`(event = ${given} or (event = '' and type = ${given}))`
        : condition`event = ${given}`
    })
  const sinceOf = (since: number): Condition =>
    once(
      since,
      () =>
        condition`least(timestamp, receive_time) > fromUnixTimestamp64Milli(${params.add('since', 'Int64', since)})`,
    )
  const betweenOf = ({ first, last }: DatesBetween): Condition => {
    const from = params.add('from', 'Int64', spanOfDate(first)?.from ?? 0)
    const before = params.add('until', 'Int64', spanOfDate(last)?.until ?? 0)
    return condition`least(timestamp, receive_time) >= fromUnixTimestamp64Milli(${from}) and least(timestamp, receive_time) < fromUnixTimestamp64Milli(${before})`
  }
  return {
    /** Returns the number of the set of profiles that meet an event query. */
    add(query: Event, rule: ReturnType<typeof ruleOf>): number {
      const key = JSON.stringify([
        query.selectedEvent,
        query.selectedAttributes,
        query.timeframe,
        query.dates ?? null,
        rule.sign,
        rule.value,
      ])
      const known = [...counted.keys()].indexOf(key)
      if (known >= 0) return known
      const named = namedOf(query.selectedEvent)
      const since = query.timeframe === null ? undefined : asOf - timeframeMs(query.timeframe)
      const column = query.selectedEvent === 'identify' || query.selectedEvent === 'group' ? 'traits' : 'properties'
      const where = joined(
        [
          named,
          ...(since === undefined ? [] : [sinceOf(since)]),
          ...(query.dates === undefined ? [] : [betweenOf(query.dates)]),
          ...query.selectedAttributes.map((each) => propertyCondition(each, column, params, asOf)),
        ],
        'and',
      )
      const value = params.add('count', 'UInt64', rule.value)
      // Between two fixed dates, no count changes only because time passes.
      const from = query.dates === undefined ? since : (spanOfDate(query.dates.first)?.from ?? 0) - 1
      counted.set(key, { where, named, since, from, count: (c) => `${c} ${rule.sign} ${value}` as Condition })
      return counted.size - 1
    },
    statement(): EventsStatement | undefined {
      const all = [...counted.values()]
      if (all.length === 0) return undefined
      const starts = all.flatMap(({ from: start }) => (start === undefined ? [] : [start]))
      // The time of an event is never later than the time it was received.
      const from =
        starts.length < all.length
          ? []
          : [condition`receive_time > fromUnixTimestamp64Milli(${params.add('from', 'Int64', Math.min(...starts))})`]
      const any = joined([until, ...from, joined([...new Set(all.map(({ named }) => named))], 'or')], 'and')
      return statementOfEvents(workspaceId, all, any, params, { people, sample })
    },
    crossings(before: number): EventsStatement | undefined {
      const moved = [...counted.values()].flatMap(({ named, since }) => (since === undefined ? [] : [{ named, since }]))
      if (moved.length === 0) return undefined
      // Each name and each time window is compared once, not in pairs, because comparing names is slow. The set may
      // then contain too many profiles, which only costs some work.
      const named = joined([...new Set(moved.map((each) => each.named))], 'or')
      const ends = [...new Set(moved.map(({ since }) => since))]
      const passed = ends.map((end) => {
        const until = condition`least(timestamp, receive_time) <= fromUnixTimestamp64Milli(${params.add('until', 'Int64', end)})`
        return joined([sinceOf(end - (asOf - before)), until], 'and')
      })
      const from = Math.min(...ends) - (asOf - before)
      // The time of an event is never later than the time it was received.
      const received = condition`receive_time > fromUnixTimestamp64Milli(${params.add('from', 'Int64', from)})`
      return statementOfSeen(workspaceId, joined([received, joined(passed, 'or'), named], 'and'), params)
    },
  }
}

/** Compiles queries of a workspace that are evaluated together. */
export type Compiler = {
  /**
   * Returns the statement that selects the members of an audience from all profiles. The sets that it uses come from
   * `events`.
   */
  add(query: AudienceQuery): ProfilesStatement
  /**
   * Returns the statement that checks every profile against several queries. The column `met` of `members` has one
   * boolean for each query, in the order of the queries.
   */
  addAll(queries: readonly AudienceQuery[]): ProfilesStatement
  /** Returns the statement for the sets of all queries; undefined if no condition is on events. */
  events(): EventsStatement | undefined
  /**
   * Returns the statement for the set of profiles with an event that has left the time window of a condition since
   * `before` (epoch ms). Without new events, only the counts of these profiles change. Undefined if no condition has a
   * time window.
   */
  crossings(before: number): EventsStatement | undefined
}

const hasUserId = condition`exists (select from profile_identifiers i where i.workspace_id = $1::uuid and i.profile_id = p.id and i.type = 'user_id')`

/**
 * Creates a compiler. It is a pure function; each value becomes a parameter. A reference to another audience is
 * replaced by the query of that audience. A circular reference, or a reference to a deleted audience, counts as an
 * audience without members.
 */
export const createCompiler = (options: CompileOptions): Compiler => {
  const { workspaceId, asOf, queryOf, people, sample } = options
  const events = createEvents(options)
  const createConditions = () => {
    const params = createProfilesParams(workspaceId)
    const traits = new Map<string, Condition>()
    const traitOf = (name: string): Condition => {
      const known = traits.get(name) ?? (`traits.t${traits.size}` as Condition)
      traits.set(name, known)
      return known
    }
    /** Audiences that are being compiled. A reference to one of them would be circular. */
    const open = new Set<string>()
    const ofAudience = (name: string): Condition => {
      const other = open.has(name) ? undefined : queryOf(name)
      if (other === undefined) return condition`false`
      open.add(name)
      const inside = ofTree(other)
      open.delete(name)
      return inside
    }
    /** Returns the function that computes the largest possible size of an audience from the sizes of the sets. */
    const maxSizeIn = (tree: AudienceQuery): MaxSize =>
      maxSizeOf(tree, {
        setOf: (each) => {
          const rule = isAlways(each) ? undefined : ruleOf(each.count)
          return rule === undefined || rule.others ? undefined : events.add(each, rule)
        },
        within(name) {
          const other = open.has(name) ? undefined : queryOf(name)
          if (other === undefined) return () => 0
          open.add(name)
          const inside = maxSizeIn(other)
          open.delete(name)
          return inside
        },
      })
    const ofEvents = (each: SegmentQuery): Condition => {
      if (isAlways(each)) return condition`true`
      const rule = ruleOf(each.count)
      const within = params.inSet(events.add(each, rule))
      return rule.others ? condition`not ${within}` : within
    }
    const ofList = ({ selectedList }: SegmentQuery): Condition => {
      const id = resourceNames.audience.parse(selectedList?.name ?? '')?.audience
      if (id === undefined || selectedList === undefined) return condition`false`
      const version = params.add('integer', selectedList.version)
      // For a few profiles, looks up their identifiers. For all profiles, the list is scanned once.
      return condition`exists (select from profile_identifiers i join audience_list_entries e on e.workspace_id = i.workspace_id and e.identifier = i.sequence where i.workspace_id = $1::uuid and i.profile_id = p.id and e.audience_id = ${params.add('uuid', id)} and e.from_version <= ${version} and (e.until_version is null or e.until_version > ${version}))`
    }
    const ofQuery = (each: SegmentQuery): Condition => {
      if (each.type === 'event') return ofEvents(each)
      if (each.type === 'list') return ofList(each)
      if (each.type === 'attribute')
        return joined(
          each.selectedAttributes.map((attribute) => traitCondition(attribute, traitOf(attribute.name), params, asOf)),
          'and',
        )
      const inside = ofAudience(each.selectedAudience?.name ?? '')
      return each.selectedAudience?.member === false ? condition`not (${inside})` : inside
    }
    const ofTree = (tree: AudienceQuery): Condition => {
      const groups = Object.values(tree.groups).map(({ operator, segments }) =>
        joined(
          segments.map(({ queries }) => joined(queries.map(ofQuery), 'and')),
          operator,
        ),
      )
      const met = joined(groups, tree.operator)
      return tree.includeAnonymous ? met : condition`(${met} and ${hasUserId})`
    }
    return { params, traits, ofTree, maxSizeIn }
  }
  const add = (query: AudienceQuery): ProfilesStatement => {
    const { params, traits, ofTree, maxSizeIn } = createConditions()
    const where = ofTree(query)
    return statementOfProfiles(
      params,
      [...traits.keys()],
      where,
      people === undefined ? { most: maxSizeIn(query), sample } : { people },
    )
  }
  const addAll = (queries: readonly AudienceQuery[]): ProfilesStatement => {
    const { params, traits, ofTree } = createConditions()
    const where = queries.map(ofTree)
    return statementOfProfiles(params, [...traits.keys()], where, { people, sample })
  }
  return { add, addAll, events: () => events.statement(), crossings: (before) => events.crossings(before) }
}

/** Compiles one query. */
export const compileAudience = (query: AudienceQuery, options: CompileOptions): CompiledAudience => {
  const compiler = createCompiler(options)
  const profiles = compiler.add(query)
  return { profiles, events: compiler.events() }
}
