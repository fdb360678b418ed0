import * as contract from '@tributary/contract'
import { z } from 'zod'

/** A piece of a JSON document. */
export type Json = Record<string, unknown>

/**
 * Names of schemas that several calls share. Clients that are generated from the description have classes with these
 * names.
 */
const named: Readonly<Record<string, z.ZodType>> = {
  Audience: contract.audience,
  AudienceChange: contract.audienceChange,
  AudienceDestination: contract.audienceDestination,
  AudienceListChange: contract.audienceListChange,
  AudienceExplanation: contract.audienceExplanation,
  AudiencePoint: contract.audiencePoint,
  AudiencePreview: contract.audiencePreview,
  AudienceQuery: contract.audienceQuery,
  AudienceStatement: contract.audienceStatement,
  AudienceSummary: contract.audienceSummary,
  AudienceVersion: contract.audienceVersion,
  ListReport: contract.listReport,
  CatalogDataSource: contract.catalogDataSource,
  CatalogDestination: contract.catalogDestination,
  CatalogGuideStep: contract.guideStep,
  CatalogSource: contract.catalogSource,
  ClientConfig: contract.clientConfig,
  ComputedTrait: contract.computedTrait,
  ComputedTraitDefinition: contract.computedTraitDefinition,
  ComputedTraitSummary: contract.computedTraitSummary,
  Condition: contract.condition,
  Connection: contract.connection,
  ConnectionActivity: contract.connectionActivity,
  Credentials: contract.credentials,
  DataColumn: contract.dataColumn,
  DataPreview: contract.dataPreview,
  DataQuery: contract.dataQuery,
  DataSource: contract.dataSource,
  DataTable: contract.dataTable,
  Delivery: contract.delivery,
  DeliveryOverview: contract.deliveryOverview,
  Destination: contract.destination,
  DestinationAction: contract.destinationAction,
  DestinationApp: contract.destinationApp,
  DestinationGrant: contract.oauthGrant,
  DestinationMappings: contract.destinationMappings,
  DroppedEvent: contract.droppedEvent,
  Error: contract.errorBody,
  Event: contract.eventDetail,
  EventFilter: contract.eventFilter,
  EventMapping: contract.eventMapping,
  EventSummary: contract.eventSummary,
  FailureGroup: contract.failureGroup,
  FieldMapping: contract.fieldMapping,
  HeldWork: contract.heldWork,
  Invitation: contract.invitation,
  InvitationLink: contract.invitationLink,
  InvitationPreview: contract.invitationPreview,
  KeyCheck: contract.keyCheck,
  KnownColumn: contract.knownColumn,
  ListedCatalogDataSource: contract.listedCatalogDataSource,
  ListedCatalogDestination: contract.listedCatalogDestination,
  ListedCatalogSource: contract.listedCatalogSource,
  Login: contract.loginResponse,
  MappingSource: contract.mappingSource,
  MappingTarget: contract.mappingTarget,
  Membership: contract.membership,
  Model: contract.model,
  Notification: contract.notification,
  Organization: contract.organization,
  Plan: contract.plan,
  Subscription: contract.subscription,
  PaymentMethod: contract.paymentMethod,
  BillingCompany: contract.billingCompany,
  ParkedDelivery: contract.parkedDelivery,
  ParkedSummary: contract.parkedSummary,
  PendingEvent: contract.pendingEvent,
  PrivacyPlace: contract.privacyPlace,
  PrivacyRequest: contract.privacyRequest,
  Profile: contract.profile,
  ProfileHistoryEntry: contract.profileHistoryEntry,
  ProfileIdentifier: contract.profileIdentifier,
  ProfileSummary: contract.profileSummary,
  ProfileTrait: contract.profileTrait,
  QueryGroup: contract.queryGroup,
  RefusedRequest: contract.refusedRequest,
  Replay: contract.replay,
  ReplayScope: contract.replayScope,
  SchemaTemplate: contract.schemaTemplate,
  SchemaVersion: contract.schemaVersion,
  Segment: contract.segment,
  SegmentQuery: contract.segmentQuery,
  SelectedAttribute: contract.selectedAttribute,
  Session: contract.session,
  SettingOption: contract.settingOption,
  Signal: contract.signal,
  SignalConversion: contract.conversion,
  SignalDraft: contract.signalDraft,
  SignalOverview: contract.signalOverview,
  SignalPlatform: contract.signalPlatform,
  SignalPlatformOption: contract.platformOption,
  SignalPreview: contract.signalPreview,
  SignalQuality: contract.signalQuality,
  SignalSettings: contract.signalSettings,
  SignalSummary: contract.signalSummary,
  Source: contract.source,
  SourceSchema: contract.currentSchema,
  SourceWithSchema: contract.sourceWithSchema,
  Suppression: contract.suppression,
  Sync: contract.sync,
  SyncDryRun: contract.syncDryRun,
  SyncField: contract.syncField,
  SyncAlerts: contract.syncAlerts,
  SyncDraft: contract.syncDraft,
  SyncRun: contract.syncRun,
  SyncRunCounts: contract.syncRunCounts,
  SyncSample: contract.syncSample,
  ToldDestination: contract.privacyDestination,
  User: contract.user,
  Violation: contract.violation,
  Workspace: contract.workspace,
  Writekey: contract.writekey,
}

const prefix = '#/components/schemas/'

/** Returns a reference to a named schema. */
export const schemaRef = (name: string): Json => ({ $ref: `${prefix}${name}` })

/** Converts `sources.listBySource` to `SourcesListBySource`. */
const pascal = (name: string): string => name.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Returns a schema whose parts are inlined; `input` is the form that a caller may send. */
export const inlineSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

type Schemas = Record<string, Json>

const describe = (schemas: ReadonlyMap<string, z.ZodType>, io: 'input' | 'output'): Schemas => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of schemas) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: (id) => `${prefix}${id}`,
    override: ({ jsonSchema }) => {
      // A later version may add keys, and readers must not reject them.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return Object.fromEntries(
    Object.entries(made.schemas).map(([id, schema]) => {
      const { $schema: _, $id: __, id: ___, ...rest } = schema as Json
      return [id, rest]
    }),
  )
}

const refsIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, id]) => id ?? '')

/**
 * Returns the names of schemas that differ between request and response, for example by defaults, or that contain such
 * a schema.
 */
const differing = (input: Schemas, output: Schemas): Set<string> => {
  const found = new Set<string>()
  const differs = (id: string): boolean =>
    JSON.stringify(input[id]) !== JSON.stringify(output[id]) || refsIn(output[id]).some((ref) => found.has(ref))
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const id of Object.keys(named)) if (differs(id)) found.add(id)
  }
  return found
}

/** Returns the given schemas and all schemas to which they refer. */
const within = (schemas: Schemas, ids: readonly string[]): Set<string> => {
  const found = new Set(ids)
  for (const id of found) for (const ref of refsIn(schemas[id] ?? {})) found.add(ref)
  return found
}

const renamed = (schema: Json, names: ReadonlySet<string>): Json =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value
    return names.has(value.slice(prefix.length)) ? `${value}Input` : value
  }) as Json

/** All schemas of the methods by name, and the schema of each method's body and response. */
export type NamedSchemas = { schemas: Schemas; request(name: string): Json; response(name: string): Json }

/**
 * Names every schema: shared schemas by their content, bodies and responses by their call (`SourcesListResponse`). If
 * the request form differs from the response, its name ends in `Input`.
 */
export const nameSchemas = (methods: readonly contract.Method[]): NamedSchemas => {
  const known = new Map<unknown, string>(Object.entries(named).map(([id, schema]) => [schema, id]))
  const shared = Object.entries(named)
  const requests = new Map<string, z.ZodType>()
  const responses = new Map<string, z.ZodType>()
  const calls = new Map<string, { request?: string; response: string }>()
  const nameOf = (schema: z.ZodType, id: string, among: Map<string, z.ZodType>): string => {
    const name = known.get(schema) ?? [...among].find(([, other]) => other === schema)?.[0] ?? id
    if (!known.has(schema)) among.set(name, schema)
    return name
  }
  // A schema that two calls share is named after the call with the shorter name.
  for (const { name, request, response } of methods.toSorted((a, b) => a.name.length - b.name.length))
    calls.set(name, {
      ...(request === undefined ? {} : { request: nameOf(request, `${pascal(name)}Request`, requests) }),
      response: nameOf(response, `${pascal(name)}Response`, responses),
    })
  const input = describe(new Map([...shared, ...requests]), 'input')
  const output = describe(new Map([...shared, ...responses]), 'output')
  const twice = differing(input, output)
  const asked = [...calls.values()].flatMap(({ request }) => request ?? [])
  const answered = [...calls.values()].map(({ response }) => response)
  const schemas: Schemas = {}
  for (const id of within(output, ['Error', ...answered])) schemas[id] = output[id] ?? {}
  for (const id of within(input, asked)) schemas[twice.has(id) ? `${id}Input` : id] = renamed(input[id] ?? {}, twice)
  return {
    schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    request: (name) => {
      const id = calls.get(name)?.request ?? ''
      return schemaRef(twice.has(id) ? `${id}Input` : id)
    },
    response: (name) => schemaRef(calls.get(name)?.response ?? ''),
  }
}
