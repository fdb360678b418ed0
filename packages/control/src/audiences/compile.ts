import { type AudienceQuery, eventTypes, resourceNames, type SegmentQuery, timeframeMs } from '@tributary/contract'
import { propertyCondition, traitCondition } from './attributes.ts'
import {
  type Condition,
  type CountedEvents,
  condition,
  createEventsParams,
  createProfilesParams,
  type EventsStatement,
  joined,
  type Most,
  type Person,
  type ProfilesStatement,
  type Sample,
  statementOfEvents,
  statementOfProfiles,
  statementOfSeen,
} from './fragments.ts'
import { mostOf } from './most.ts'

export type CompileOptions = {
  workspaceId: string
  /** Epoch ms. */
  asOf: number
  /** The query of another audience by its resource name; undefined for one that is gone: nobody is in it. */
  queryOf: (audience: string) => AudienceQuery | undefined
  /** Only these profiles are looked at; all of them unless given. */
  people?: readonly Person[]
  /** Only this share of all profiles is looked at. */
  sample?: Sample | undefined
}

/**
 * Who is in an audience, as two statements: the event store answers sets of profiles by their events (undefined where no
 * condition is on events), and the relational store who of all profiles is in it.
 */
export type CompiledAudience = { events: EventsStatement | undefined; profiles: ProfilesStatement }

type Event = Pick<SegmentQuery, 'selectedEvent' | 'selectedAttributes' | 'timeframe' | 'count'>

const types: ReadonlySet<string> = new Set(eventTypes)

/** A rule for counts, and whether profiles that it holds for are meant or all others: those without events are in no set. */
const ruleOf = ({
  operator,
  value,
}: SegmentQuery['count']): { sign: '>=' | '=' | '>'; value: number; others: boolean } => {
  if (operator === 'at_most') return { sign: '>', value, others: true }
  if (operator === 'exactly' && value > 0) return { sign: '=', value, others: false }
  return { sign: '>=', value: Math.max(value, 1), others: operator === 'exactly' }
}

/** Whoever did it at least not at all is everybody. */
const isAlways = ({ count }: SegmentQuery): boolean => count.operator === 'at_least' && count.value === 0

/** Conditions on events, each distinct one once. */
const createEvents = ({ workspaceId, asOf, people, sample }: Omit<CompileOptions, 'queryOf'>) => {
  const params = createEventsParams()
  const until = condition`receive_time <= fromUnixTimestamp64Milli(${params.add('as_of', 'Int64', asOf)})`
  const counted = new Map<string, CountedEvents & { named: Condition; since: number | undefined }>()
  // What several conditions say is written once, and the event store looks at it once.
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
  return {
    /** The number of the set of profiles that an event query is about. */
    add(query: Event, rule: ReturnType<typeof ruleOf>): number {
      const key = JSON.stringify([
        query.selectedEvent,
        query.selectedAttributes,
        query.timeframe,
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
          ...query.selectedAttributes.map((each) => propertyCondition(each, column, params, asOf)),
        ],
        'and',
      )
      const value = params.add('count', 'UInt64', rule.value)
      counted.set(key, { where, named, since, count: (c) => `${c} ${rule.sign} ${value}` as Condition })
      return counted.size - 1
    },
    statement(): EventsStatement | undefined {
      const all = [...counted.values()]
      if (all.length === 0) return undefined
      const starts = all.flatMap(({ since }) => (since === undefined ? [] : [since]))
      // An event happened when it was received, or before.
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
      // Each name and each time once: whoever is found too much is looked at for nothing, and comparing names is what takes long.
      const named = joined([...new Set(moved.map((each) => each.named))], 'or')
      const ends = [...new Set(moved.map(({ since }) => since))]
      const passed = ends.map((end) => {
        const until = condition`least(timestamp, receive_time) <= fromUnixTimestamp64Milli(${params.add('until', 'Int64', end)})`
        return joined([sinceOf(end - (asOf - before)), until], 'and')
      })
      const from = Math.min(...ends) - (asOf - before)
      // An event happened when it was received, or before.
      const received = condition`receive_time > fromUnixTimestamp64Milli(${params.add('from', 'Int64', from)})`
      return statementOfSeen(workspaceId, joined([received, joined(passed, 'or'), named], 'and'), params)
    },
  }
}

/** Compiles queries of a workspace that are evaluated together. */
export type Compiler = {
  /** Who of all profiles is in an audience; its sets are those of `events`. */
  add(query: AudienceQuery): ProfilesStatement
  /** Which of several queries each profile meets: `met` of `members` is a list in their order. */
  addAll(queries: readonly AudienceQuery[]): ProfilesStatement
  /** The sets that all of them need; undefined where no condition is on events. */
  events(): EventsStatement | undefined
  /**
   * Profiles of which an event left the time that a condition looks at since `before` (epoch ms), as one set: nobody else's
   * counts are changed by time alone. Undefined where no condition on events has a time.
   */
  crossings(before: number): EventsStatement | undefined
}

const hasUserId = condition`exists (select from profile_identifiers i where i.workspace_id = $1::uuid and i.profile_id = p.id and i.type = 'user_id')`

/**
 * Makes a compiler. Pure; each value is a parameter. Another audience stands for its query, and is empty where it comes to
 * itself.
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
    /** Those that are being gone through: none comes to itself, whatever was saved. */
    const open = new Set<string>()
    const ofAudience = (name: string): Condition => {
      const other = open.has(name) ? undefined : queryOf(name)
      if (other === undefined) return condition`false`
      open.add(name)
      const inside = ofTree(other)
      open.delete(name)
      return inside
    }
    /** Those whom an audience is known to have at most, by the sizes of sets. */
    const mostIn = (tree: AudienceQuery): Most =>
      mostOf(tree, {
        setOf: (each) => {
          const rule = isAlways(each) ? undefined : ruleOf(each.count)
          return rule === undefined || rule.others ? undefined : events.add(each, rule)
        },
        within(name) {
          const other = open.has(name) ? undefined : queryOf(name)
          if (other === undefined) return () => 0
          open.add(name)
          const inside = mostIn(other)
          open.delete(name)
          return inside
        },
      })
    const ofEvents = (each: SegmentQuery): Condition => {
      if (isAlways(each)) return condition`true`
      const rule = ruleOf(each.count)
      const within = condition`p.owner = any(${params.add('bigint[]', { set: events.add(each, rule) })})`
      return rule.others ? condition`not ${within}` : within
    }
    const ofList = ({ selectedList }: SegmentQuery): Condition => {
      const id = resourceNames.audience.parse(selectedList?.name ?? '')?.audience
      if (id === undefined || selectedList === undefined) return condition`false`
      const version = params.add('integer', selectedList.version)
      // Of few profiles their identifiers are looked up, of all the list is gone through once.
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
    return { params, traits, ofTree, mostIn }
  }
  const add = (query: AudienceQuery): ProfilesStatement => {
    const { params, traits, ofTree, mostIn } = createConditions()
    const where = ofTree(query)
    return statementOfProfiles(
      params,
      [...traits.keys()],
      where,
      people === undefined ? { most: mostIn(query), sample } : { people },
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
