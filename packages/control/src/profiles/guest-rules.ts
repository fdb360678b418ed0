import type {
  AudienceQuery,
  ComputedTrait,
  ComputedTraitSummary,
  Condition,
  Conversion,
  EventDetail,
  EventMapping,
  EventSummary,
  Methods,
  OwnConnector,
  OwnConnectorVersion,
  ParkedDelivery,
  RefusedRequest,
  Replay,
  Signal,
  Sync,
  WarehouseLoad,
  WarehouseStatus,
} from '@tributary/contract'
import type { Handlers } from '@tributary/http'
import { isRecord, type JsonObject, jsonMembers, jsonText, parseExactJson } from '@tributary/kernel'
import { maskBody, maskJson } from '../deliveries/samples.ts'
import { maskOwnConnector, maskVersion } from '../own-connectors/without-vectors.ts'
import { hidden, maskEvent, maskReason, maskText } from './mask.ts'
import { maskAttribute, maskConditions, maskFields, maskMapping, maskQuery, maskSql } from './mask-rules.ts'

type AnswerOf<Run> = Run extends (call: never) => Promise<infer Answer> ? Answer : never

/**
 * The rule for the response that guests get. A function hides values in the response. With `open`, guests get the same
 * response as others, because it has no values of people. With `byHandler`, the handler itself hides values. With
 * `notForGuests`, guests cannot call the method.
 */
type RuleOf<Run> = ((answer: AnswerOf<Run>) => AnswerOf<Run>) | 'open' | 'byHandler' | 'notForGuests'

/**
 * Methods outside of workspaces and organizations need no rule, because only workspaces and organizations have guests.
 */
type RuleFor<Each, Run> = Each extends { access: { scope: 'workspace' | 'organization' } } ? RuleOf<Run> : 'noWorkspace'

type Read = { verb: 'GET' } | { reads: true }
type RunOf<Runs, Verb> = Verb extends keyof Runs ? Runs[Verb] : never

/**
 * The rules of a group of methods. Every reading method needs one; other methods have one only if guests may call them.
 */
type RulesOf<Group, Runs> = {
  readonly [Verb in keyof Group as Group[Verb] extends Read ? Verb : never]: RuleFor<Group[Verb], RunOf<Runs, Verb>>
} & {
  readonly [Verb in keyof Group as Group[Verb] extends Read ? never : Verb]?: RuleFor<Group[Verb], RunOf<Runs, Verb>>
}

type GroupWithReads = {
  [Group in keyof Methods]: Extract<Methods[Group][keyof Methods[Group]], Read> extends never ? never : Group
}[keyof Methods]

/** The rules of all groups with reading methods. A new reading method without a rule does not compile. */
export type GuestRules = { readonly [Group in GroupWithReads]: RulesOf<Methods[Group], Handlers[Group]> }

/** Members of an event whose values are never about a person. */
const technical = new Set([
  'eventId',
  'messageId',
  'type',
  'event',
  'test',
  'receivedAt',
  'timestamp',
  'originalTimestamp',
  'sentAt',
])

/** Maximum length of a name or a time. A longer text is hidden, because it must be something else. */
const longestName = 200

/** Hides values of people in the JSON text of an event. Names of members, the type, and times stay. */
const maskEventText = (text: string): string => {
  if (text === '') return ''
  const members = parsed(text)
  if (members === undefined) return maskBody(text)
  return jsonText(
    [...members].map(([name, value]): readonly [string, string] => [
      name,
      technical.has(name) && value.length <= longestName && !/^[{[]/.test(value) ? value : maskJson(value),
    ]),
  )
}

const parsed = (text: string): ReadonlyMap<string, string> | undefined => {
  try {
    return isRecord(JSON.parse(text)) ? jsonMembers(text) : undefined
  } catch {
    return undefined
  }
}

/** Parses the text of a masked event as an object; null if it is not valid JSON. */
const objectOf = (text: string): JsonObject | null => {
  try {
    return parseExactJson(text) as JsonObject
  } catch {
    return null
  }
}

const maskPayload = <Each extends { payload: unknown; payload_text: string }>(event: Each) => {
  const payload_text = maskEventText(event.payload_text)
  return { payload: event.payload === null ? null : objectOf(payload_text), payload_text }
}

const maskDetail = (event: EventDetail): EventDetail => ({
  ...maskEvent(event),
  ...maskPayload(event),
  group_id: maskText(event.group_id),
  previous_id: maskText(event.previous_id),
  ip: event.ip === '' ? '' : hidden,
  original: maskEventText(event.original),
})

const maskSignal = <Each extends Signal>(signal: Each): Each => ({
  ...signal,
  trigger:
    signal.trigger.type === 'events'
      ? { ...signal.trigger, filters: maskConditions(signal.trigger.filters) }
      : signal.trigger,
  platforms: signal.platforms.map((each) =>
    each.is_preset ? each : { ...each, field_mappings: maskFields(each.field_mappings) },
  ),
})

const maskModel = <Each extends { query: object }>(model: Each): Each =>
  'sql' in model.query && typeof model.query.sql === 'string'
    ? { ...model, query: { ...model.query, sql: maskSql(model.query.sql) } }
    : model

const maskRun = <Each extends { message: string } | null>(run: Each): Each =>
  run === null ? run : { ...run, message: maskReason(run.message) }

const maskTrait = <Each extends ComputedTraitSummary>(trait: Each): Each => ({
  ...trait,
  definition: { ...trait.definition, conditions: trait.definition.conditions.map(maskAttribute) },
})

const maskLoad = (load: WarehouseLoad): WarehouseLoad => ({
  ...load,
  reason: maskReason(load.reason),
  statement: load.statement === '' ? '' : hidden,
})

const maskStatus = (status: WarehouseStatus): WarehouseStatus => ({
  ...status,
  comparison:
    status.comparison === null ? null : { ...status.comparison, reason: maskReason(status.comparison.reason) },
})

const maskReplay = <Each extends Replay>(replay: Each): Each => ({
  ...replay,
  filter: { ...replay.filter, conditions: maskConditions(replay.filter.conditions) },
  reason: maskReason(replay.reason),
  failure: maskReason(replay.failure),
})

const maskParked = <Each extends ParkedDelivery>(parked: Each): Each => ({
  ...parked,
  last_reason: maskReason(parked.last_reason),
  events: parked.events.map((event) => ({
    ...event,
    user_id: maskText(event.user_id),
    anonymous_id: maskText(event.anonymous_id),
  })),
})

const maskGroup = <Each extends { reason: string }>(group: Each): Each => ({
  ...group,
  reason: maskReason(group.reason),
})

const maskRefused = (answer: { refused_requests: RefusedRequest[]; next_page_token: string }) => ({
  ...answer,
  refused_requests: answer.refused_requests.map((each) => ({
    ...each,
    message: maskReason(each.message),
    sample: maskBody(each.sample),
  })),
})

const maskConversion = (conversion: Conversion): Conversion => ({
  ...conversion,
  event_id: maskText(conversion.event_id),
  value: null,
  platforms: conversion.platforms.map(maskGroup),
})

const maskSync = <Each extends Sync>(sync: Each): Each => ({ ...sync, last_run: maskRun(sync.last_run) })

const maskSummaries = <Answer extends { events: EventSummary[] }>(answer: Answer): Answer => ({
  ...answer,
  events: answer.events.map(maskEvent),
})

/** The rules for the responses of all methods. */
export const guestRules: GuestRules = {
  alertChannels: { list: 'open' },
  apiKeys: { list: 'notForGuests' },
  audiences: {
    list: 'open',
    get: (audience) => ({ ...audience, query: maskQuery(audience.query as AudienceQuery) }),
    preview: 'notForGuests',
    listMembers: 'byHandler',
    listChanges: 'byHandler',
    explain: 'byHandler',
    getHistory: 'open',
    listDestinations: 'open',
    listOfDestination: 'open',
    getStatements: (answer) => ({
      ...answer,
      statements: answer.statements.map((each) => ({
        ...each,
        params: Object.fromEntries(Object.keys(each.params).map((name) => [name, hidden])),
      })),
    }),
    suggest: 'notForGuests',
    listVersions: 'open',
    getVersion: (version) => ({ ...version, query: maskQuery(version.query as AudienceQuery) }),
  },
  auditRecords: { list: 'notForGuests' },
  billingCompanies: { get: 'notForGuests' },
  catalogDataSources: { list: 'open', get: 'open' },
  catalogDestinations: { list: 'open', get: 'open' },
  catalogSources: { list: 'open', get: 'open' },
  computedTraits: {
    list: (answer) => ({
      ...answer,
      computed_traits: answer.computed_traits.map((each) => maskTrait(each as ComputedTraitSummary)),
    }),
    get: (trait) => maskTrait(trait as ComputedTrait),
    preview: 'notForGuests',
  },
  config: { get: 'noWorkspace' },
  connections: {
    getActivity: 'open',
    list: (answer) => ({
      ...answer,
      connections: answer.connections.map((each) => ({
        ...each,
        filter: { ...each.filter, conditions: maskConditions(each.filter.conditions as Condition[]) },
      })),
    }),
  },
  customDomains: { list: 'notForGuests' },
  dataSources: {
    list: 'open',
    get: 'open',
    listTables: 'notForGuests',
    getTable: 'notForGuests',
    validate: 'notForGuests',
    checkKey: 'notForGuests',
  },
  deliveries: {
    list: 'byHandler',
    listParked: (answer) => ({ ...answer, parked_deliveries: answer.parked_deliveries.map(maskParked) }),
  },
  deliveryOverviews: { get: 'open' },
  destinations: { list: 'open', get: 'open', getApp: 'open', getObject: 'notForGuests' },
  droppedEvents: { listBySource: 'open' },
  events: {
    batchGetBySource: (answer) => ({
      events: answer.events.map((each) => ({
        ...each,
        payload: each.payload === null ? null : objectOf(maskEventText(JSON.stringify(each.payload))),
      })),
    }),
    listBySource: maskSummaries,
    list: maskSummaries,
    get: (event) => (event.state === 'stored' ? maskDetail(event as EventDetail) : event),
  },
  failureGroups: {
    list: (answer) => ({ ...answer, failure_groups: answer.failure_groups.map(maskGroup) }),
    get: maskGroup,
  },
  heldWork: {
    list: (answer) => ({ ...answer, held_work: answer.held_work.map(maskGroup) }),
    listAll: 'noWorkspace',
  },
  identitySettings: { get: 'open' },
  inferredSchemas: { get: 'open' },
  installation: { get: 'noWorkspace' },
  invitationLinks: { list: 'notForGuests', get: 'noWorkspace' },
  invitations: { list: 'notForGuests', get: 'noWorkspace' },
  invoices: { list: 'notForGuests', get: 'noWorkspace' },
  leftOutCounts: { get: 'open' },
  mappings: {
    get: (answer) => ({
      ...answer,
      event_mappings: answer.event_mappings.map((each) => maskMapping(each as EventMapping)),
    }),
    suggest: (answer) => ({
      ...answer,
      fields: answer.fields.map((each) => ({ ...each, example: each.example === '' ? '' : hidden })),
    }),
    preview: 'notForGuests',
  },
  memberships: { list: 'noWorkspace', listByOrganization: 'open', delete: 'open' },
  metrics: { get: 'open' },
  models: {
    list: (answer) => ({ ...answer, models: answer.models.map(maskModel) }),
    get: maskModel,
  },
  notifications: { list: 'noWorkspace' },
  onboardings: { list: 'noWorkspace' },
  organizations: { find: 'noWorkspace', get: 'open', getUsage: 'open', listJoinable: 'noWorkspace' },
  ownConnectors: {
    list: 'open',
    get: (own) => maskOwnConnector(own as OwnConnector),
    check: 'notForGuests',
    listVersions: 'open',
    getVersion: (version) => maskVersion(version as OwnConnectorVersion),
    export: 'notForGuests',
  },
  paymentMethods: { list: 'notForGuests' },
  peopleLists: { list: 'notForGuests', get: 'notForGuests' },
  personDataPlaces: { get: 'open', count: 'open' },
  plans: { list: 'noWorkspace' },
  privacyRequests: { list: 'notForGuests', get: 'notForGuests' },
  profileExports: { get: 'notForGuests' },
  profileKeys: { list: 'open' },
  profiles: {
    getCoverage: 'open',
    list: 'byHandler',
    get: 'byHandler',
    getTraitHistory: 'byHandler',
    listEvents: 'byHandler',
    listAudiences: 'open',
  },
  realtime: { getConfig: 'noWorkspace' },
  refusedRequests: { listBySource: maskRefused, list: maskRefused, listUnowned: 'noWorkspace' },
  replays: {
    preview: 'notForGuests',
    list: (answer) => ({ ...answer, replays: answer.replays.map((each) => maskReplay(each as Replay)) }),
    get: (replay) => maskReplay(replay as Replay),
  },
  schemaVersions: { list: 'open', get: 'open' },
  sessions: { list: 'noWorkspace' },
  signalDrafts: { get: 'notForGuests' },
  signalSettings: { get: 'open' },
  signals: {
    list: 'open',
    get: (signal) => maskSignal(signal as Signal),
    listPlatforms: 'open',
    preview: 'notForGuests',
    getQuality: 'open',
    getOverview: (overview) => ({
      ...overview,
      platforms: overview.platforms.map((each) => ({ ...each, reasons: each.reasons.map(maskGroup) })),
    }),
    listConversions: (answer) => ({ ...answer, conversions: answer.conversions.map(maskConversion) }),
    getAttribution: 'open',
    exportAttribution: 'open',
  },
  sourceSchemaTemplates: { list: 'open' },
  sources: { list: 'open', get: 'open', previewTemplate: 'notForGuests' },
  subscriptions: { get: 'notForGuests', preview: 'notForGuests', listChanges: 'notForGuests' },
  suppressions: { list: 'notForGuests' },
  syncDrafts: { get: 'notForGuests' },
  syncDryRuns: { get: 'notForGuests' },
  syncRuns: {
    list: (answer) => ({ ...answer, runs: answer.runs.map(maskRun) }),
    get: maskRun,
    listRows: 'notForGuests',
    getRowAttempt: 'notForGuests',
  },
  syncTokens: { list: 'open' },
  syncs: {
    list: (answer) => ({ ...answer, syncs: answer.syncs.map((each) => maskSync(each as Sync)) }),
    get: (sync) => maskSync(sync as Sync),
  },
  uploads: { get: 'open' },
  usageReports: { get: 'notForGuests' },
  users: { oauthRedirects: 'noWorkspace', get: 'noWorkspace', startOnboarding: 'noWorkspace' },
  violations: { listBySource: 'open' },
  warehouseLoads: {
    list: (answer) => ({
      ...answer,
      warehouse_loads: answer.warehouse_loads.map((each) => maskLoad(each as WarehouseLoad)),
    }),
    get: (load) => maskLoad(load as WarehouseLoad),
    getStatus: (status) => maskStatus(status as WarehouseStatus),
    listTables: 'notForGuests',
    countConversion: 'notForGuests',
  },
  workspaces: { list: 'noWorkspace', get: 'open', search: 'open', find: 'noWorkspace' },
  writekeys: { list: 'open' },
}
