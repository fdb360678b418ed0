import type { z } from 'zod'
import type { Access } from './access.ts'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A failure that a method documents: its HTTP status, its stable reason and when it happens. */
export type DocumentedError = { code: number; reason: string; when: string }

/** A part of the product that keeps a snapshot of sources, write keys, destinations and connections. */
export type CacheFollower = 'collection' | 'pipeline' | 'delivery' | 'profiles' | 'profile-api' | 'signals' | 'sync-api'

/**
 * One call of the API as a value. The path is relative to `/api`; `{name}` stands for one segment without ':' and '/',
 * and a trailing `:verb` is a custom method (AIP-136).
 */
export type Method = {
  /** `<resource>.<verb>`, also the operation id. */
  name: string
  verb: Verb
  path: string
  /** One sentence for the API documentation. */
  summary: string
  /** Who may call it. */
  access: Access
  /** For a call with a body that changes nothing, as a preview: it leaves no record. A GET needs not say so. */
  reads?: true
  /** Who works with what this call changes from a snapshot in memory: the answer comes when they have seen the change. */
  followedBy?: readonly CacheFollower[]
  /** The body, for POST, PUT and PATCH. */
  request?: z.ZodType
  query?: z.ZodType
  /** For PATCH: fields that say how another field changes. They come with it, and an `update_mask` need not name them. */
  maskCompanions?: Readonly<Record<string, readonly string[]>>
  /** Bytes of a body at most, for calls that need more than others. */
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

/** What a caller may send as body and query. */
export type MethodRequest<M extends Method> = Input<M['request']>
export type MethodQuery<M extends Method> = Input<M['query']>
/** What a handler gets after validation. */
export type ParsedRequest<M extends Method> = Output<M['request']>
export type ParsedQuery<M extends Method> = Output<M['query']>
/** What a caller gets, and what a handler must return. */
export type MethodResponse<M extends Method> = z.output<M['response']>
export type HandlerResponse<M extends Method> = z.input<M['response']>

const placeholder = /\{(\w+)\}/g

/** The path of a call, relative to `/api`, with every value encoded. Throws when a parameter is missing. */
export const formatPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(placeholder, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new Error(`${path}: the parameter ${name} is missing`)
    return encodeURIComponent(value)
  })

/** A kind of resource name, such as `workspaces/{workspace}/sources/{source}` (AIP-122). */
export type ResourcePattern<Pattern extends string> = {
  pattern: Pattern
  /** The name of the resource with these ids. */
  format(params: PathParams<Pattern>): string
  /** The ids in a name, or undefined when it is not a name of this kind. */
  parse(name: string): PathParams<Pattern> | undefined
}

/** Makes a formatter and parser of resource names. Ids hold letters, digits, '-' and '_' only. */
export const resourcePattern = <const Pattern extends string>(pattern: Pattern): ResourcePattern<Pattern> => {
  const names = [...pattern.matchAll(placeholder)].map((match) => match[1] ?? '')
  const expression = new RegExp(`^${pattern.replace(placeholder, '([A-Za-z0-9_-]+)')}$`)
  return {
    pattern,
    format: (params) => formatPath(pattern, params),
    parse(name) {
      const match = expression.exec(name)
      if (match === null) return undefined
      // The expression has one group for each placeholder, so the keys are exactly the pattern's.
      return Object.fromEntries(names.map((key, index) => [key, match[index + 1] ?? ''])) as PathParams<Pattern>
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
  destinationApp: resourcePattern('workspaces/{workspace}/destinations/{destination}/app'),
  connection: resourcePattern('workspaces/{workspace}/connections/{connection}'),
  event: resourcePattern('workspaces/{workspace}/events/{event}'),
  identitySettings: resourcePattern('workspaces/{workspace}/identitySettings'),
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
  replay: resourcePattern('workspaces/{workspace}/destinations/{destination}/replays/{replay}'),
} as const
