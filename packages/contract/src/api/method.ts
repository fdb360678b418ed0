import type { z } from 'zod'
import type { Access } from './access.ts'

/** The header by which a page names the build that it belongs to. */
export const pageBuildHeader = 'x-page-build'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A documented failure of a method: its HTTP status, its stable reason and its cause. */
export type DocumentedError = { code: number; reason: string; when: string }

/**
 * Kinds of calls that can last long because of one caller. Calls of a kind share a limited number of places:
 * - `abroad` waits for a server of another company, which may be slow or never answer.
 * - `payment` waits for the payment provider.
 * - `files` brings a file, which takes memory, the disk, and the processor.
 * - `sign-in` hashes a password or sends a mail for any caller.
 */
export type CallPlaces = 'abroad' | 'payment' | 'files' | 'sign-in'

/** A part of the product that keeps a snapshot of sources, write keys, destinations and connections. */
export type CacheFollower = 'collection' | 'pipeline' | 'delivery' | 'profiles' | 'profile-api' | 'signals' | 'sync-api'

/**
 * One call of the API as a value. The path is relative to `/api`. `{name}` stands for one segment without ':' and '/',
 * and a trailing `:verb` is a custom method (AIP-136).
 */
export type Method = {
  /** `<resource>.<verb>`, also the operation ID. */
  name: string
  verb: Verb
  path: string
  /** Summary of the call in one sentence, for the API documentation. */
  summary: string
  /** The callers that the method admits. */
  access: Access
  /**
   * The kind of places that limits how many of these calls run at a time. Each user, organization, and network has a
   * share.
   */
  places?: CallPlaces
  /**
   * True for a call with a body that changes nothing, such as a preview: the call is not written to the audit log. A
   * GET needs no flag.
   */
  reads?: true
  /**
   * The parts that keep a snapshot of the changed data in memory. The response waits until they have read the change.
   */
  followedBy?: readonly CacheFollower[]
  /** The body, for POST, PUT and PATCH. */
  request?: z.ZodType
  query?: z.ZodType
  /** Fields of a body that callers can send without effect. Any other unknown field is refused. */
  alsoKnown?: readonly string[]
  /** For PATCH: fields that control how another field changes. An `update_mask` need not name them. */
  maskCompanions?: Readonly<Record<string, readonly string[]>>
  /** Maximum bytes of a body, for calls that need more than others. */
  bodyLimit?: number
  response: z.ZodType
  errors: readonly DocumentedError[]
}

/** Declares a method; keeps the literal types of its name, verb and path. */
export const defineMethod = <const M extends Method>(method: M): M => method

/** The placeholders of a path: `{workspace}` and `{source}` of `/workspaces/{workspace}/sources/{source}`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name | keyof PathParams<Rest>]: string }
  : Record<never, string>

export type MethodParams<M extends Method> = PathParams<M['path']>
type Input<S> = S extends z.ZodType ? z.input<S> : undefined
type Output<S> = S extends z.ZodType ? z.output<S> : undefined

/** The body and query that a caller sends to a method. */
export type MethodRequest<M extends Method> = Input<M['request']>
export type MethodQuery<M extends Method> = Input<M['query']>
/** The input of a handler after validation. */
export type ParsedRequest<M extends Method> = Output<M['request']>
export type ParsedQuery<M extends Method> = Output<M['query']>
/** The response that a caller gets and a handler returns. */
export type MethodResponse<M extends Method> = z.output<M['response']>
export type HandlerResponse<M extends Method> = z.input<M['response']>

const placeholder = /\{(\w+)\}/g

/** Returns the path of a call, relative to `/api`, with every value encoded. Throws when a parameter is missing. */
export const formatPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(placeholder, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new Error(`${path}: the parameter ${name} is missing`)
    return encodeURIComponent(value)
  })

/** A kind of resource name, such as `workspaces/{workspace}/sources/{source}` (AIP-122). */
export type ResourcePattern<Pattern extends string> = {
  pattern: Pattern
  /** Returns the name of the resource with these IDs. */
  format(params: PathParams<Pattern>): string
  /** Returns the IDs in a name; undefined if the name is not of this kind. */
  parse(name: string): PathParams<Pattern> | undefined
}

/** Makes a formatter and parser of resource names. Ids hold letters, digits, '-' and '_' only. */
export const resourcePattern = <const Pattern extends string>(pattern: Pattern): ResourcePattern<Pattern> => {
  const names = [...pattern.matchAll(placeholder)].map((match) => match[1] ?? '')
  const segments = pattern.split('/')
  return {
    pattern,
    format: (params) => formatPath(pattern, params),
    parse(name) {
      const given = name.split('/')
      if (given.length !== segments.length) return undefined
      const ids: string[] = []
      for (const [index, segment] of segments.entries()) {
        const text = given[index] ?? ''
        if (!segment.startsWith('{')) {
          if (segment !== text) return undefined
        } else if (/^[A-Za-z0-9_-]+$/.test(text)) ids.push(text)
        else return undefined
      }
      // A segment is either a whole placeholder or none, so the keys are exactly the pattern's.
      return Object.fromEntries(names.map((key, index) => [key, ids[index] ?? ''])) as PathParams<Pattern>
    },
  }
}

/** The kinds of resource names of the product. */
export const resourceNames = {
  user: resourcePattern('users/{user}'),
  session: resourcePattern('users/{user}/sessions/{session}'),
  onboarding: resourcePattern('onboardings/{onboarding}'),
  notification: resourcePattern('users/{user}/notifications/{notification}'),
  organization: resourcePattern('organizations/{organization}'),
  membership: resourcePattern('organizations/{organization}/memberships/{membership}'),
  invitation: resourcePattern('organizations/{organization}/invitations/{invitation}'),
  invitationLink: resourcePattern('organizations/{organization}/invitationlinks/{invitation_link}'),
  apiKey: resourcePattern('organizations/{organization}/apiKeys/{api_key}'),
  subscription: resourcePattern('organizations/{organization}/subscription'),
  paymentMethod: resourcePattern('organizations/{organization}/paymentMethods/{payment_method}'),
  billingCompany: resourcePattern('organizations/{organization}/billingCompany'),
  invoice: resourcePattern('invoices/{invoice}'),
  organizationInvoice: resourcePattern('organizations/{organization}/invoices/{invoice}'),
  plan: resourcePattern('plans/{plan}'),
  workspace: resourcePattern('workspaces/{workspace}'),
  customDomain: resourcePattern('workspaces/{workspace}/customDomains/{custom_domain}'),
  catalogSource: resourcePattern('catalogSources/{app}'),
  catalogDestination: resourcePattern('catalogDestinations/{app}'),
  catalogDataSource: resourcePattern('catalogDataSources/{app}'),
  dataSource: resourcePattern('workspaces/{workspace}/dataSources/{data_source}'),
  model: resourcePattern('workspaces/{workspace}/models/{model}'),
  syncDryRun: resourcePattern('workspaces/{workspace}/syncDryRuns/{dry_run}'),
  sync: resourcePattern('workspaces/{workspace}/syncs/{sync}'),
  syncRun: resourcePattern('workspaces/{workspace}/syncs/{sync}/runs/{run}'),
  syncRunRow: resourcePattern('workspaces/{workspace}/syncs/{sync}/runs/{run}/rows/{row}'),
  source: resourcePattern('workspaces/{workspace}/sources/{source}'),
  sourceApp: resourcePattern('workspaces/{workspace}/sources/{source}/app'),
  schemaVersion: resourcePattern('workspaces/{workspace}/sources/{source}/schemaVersions/{version}'),
  schemaTemplate: resourcePattern('sourceSchemaTemplates/{template}'),
  writekey: resourcePattern('workspaces/{workspace}/writekeys/{writekey}'),
  destination: resourcePattern('workspaces/{workspace}/destinations/{destination}'),
  ownConnector: resourcePattern('workspaces/{workspace}/ownConnectors/{own_connector}'),
  ownConnectorVersion: resourcePattern('workspaces/{workspace}/ownConnectors/{own_connector}/versions/{version}'),
  peopleList: resourcePattern('workspaces/{workspace}/destinations/{destination}/peopleLists/{people_list}'),
  destinationApp: resourcePattern('workspaces/{workspace}/destinations/{destination}/app'),
  connection: resourcePattern('workspaces/{workspace}/connections/{connection}'),
  event: resourcePattern('workspaces/{workspace}/events/{event}'),
  identitySettings: resourcePattern('workspaces/{workspace}/identitySettings'),
  personDataPlaces: resourcePattern('workspaces/{workspace}/personDataPlaces'),
  alertChannel: resourcePattern('workspaces/{workspace}/alertChannels/{alert_channel}'),
  signal: resourcePattern('workspaces/{workspace}/signals/{signal}'),
  signalSettings: resourcePattern('workspaces/{workspace}/signalSettings'),
  syncToken: resourcePattern('workspaces/{workspace}/syncTokens/{sync_token}'),
  profileKey: resourcePattern('workspaces/{workspace}/profileKeys/{profile_key}'),
  profile: resourcePattern('workspaces/{workspace}/profiles/{profile}'),
  privacyRequest: resourcePattern('workspaces/{workspace}/privacyRequests/{privacy_request}'),
  suppression: resourcePattern('workspaces/{workspace}/suppressions/{suppression}'),
  audience: resourcePattern('workspaces/{workspace}/audiences/{audience}'),
  audienceVersion: resourcePattern('workspaces/{workspace}/audiences/{audience}/versions/{version}'),
  computedTrait: resourcePattern('workspaces/{workspace}/computedTraits/{computed_trait}'),
  parkedDelivery: resourcePattern(
    'workspaces/{workspace}/destinations/{destination}/parkedDeliveries/{parked_delivery}',
  ),
  failureGroup: resourcePattern('workspaces/{workspace}/destinations/{destination}/failureGroups/{failure_group}'),
  warehouseLoad: resourcePattern('workspaces/{workspace}/destinations/{destination}/warehouseLoads/{warehouse_load}'),
  heldWork: resourcePattern('workspaces/{workspace}/heldWork/{held_work}'),
  replay: resourcePattern('workspaces/{workspace}/destinations/{destination}/replays/{replay}'),
} as const
