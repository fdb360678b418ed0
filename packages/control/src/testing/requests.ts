import { createHash } from 'node:crypto'
import {
  type AudienceQuery,
  type ComputedTraitDefinition,
  type DataSource,
  methodList,
  methods,
  type Source,
} from '@tributary/contract'
import { newId, noMetrics } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import type { OpenIdProvider } from '@tributary/test-kit'
import { sql } from 'kysely'
import { apiKeyRequest } from './api-keys.ts'
import { billingRequest } from './billing-requests.ts'
import { type Caller, type Harness, idIn, makeResources, type Organization, testPassword } from './control-harness.ts'
import { customDomainRequest } from './custom-domains.ts'
import { makeReleasable } from './held-work.ts'
import { makeOwnConnector } from './own-connectors.ts'
import { peopleRequest } from './people-requests.ts'
import { grantRequest } from './permissions.ts'
import { signInRequest } from './sign-ins.ts'
import { makeSignal, signalRequest } from './signals.ts'
import { warehouseParams } from './warehouses.ts'

/**
 * Makes the path and body of a call that succeeds for each caller with permission. Each writing call gets resources of
 * its own. If `forCaller` is not set in the result, several callers can try the same call until one has succeeded.
 */
export type RequestOf = (
  name: string,
  caller: Caller | undefined,
) => Promise<{ path: string; body?: unknown; forCaller?: boolean }>

const eventId = '0-1-0'

/** Creates another session of a user. */
const anotherSession = async (harness: Harness, userId: string): Promise<string> => {
  const id = newId()
  const time = new Date(harness.now())
  await harness.db
    .insertInto('sessions')
    .values({
      id,
      user_id: userId,
      token_hash: Buffer.from(id),
      create_time: time,
      last_used_time: time,
      expire_time: new Date(time.getTime() + 3_600_000),
    })
    .execute()
  return id
}

const storeEvent = async (harness: Harness, workspaceId: string): Promise<void> => {
  const event = {
    workspace_id: workspaceId,
    source_id: newId(),
    event_id: eventId,
    message_id: 'm',
    type: 'track',
    event: 'E',
    status: 'accepted',
    receive_time: '2026-01-01 00:00:00.000',
    timestamp: '2026-01-01 00:00:00.000',
    original: '{}',
  }
  await harness.eventStore.insert('events', JSON.stringify(event), { token: `requests ${workspaceId}` })
}

/** Creates a profile with a new user ID and a new anonymous ID. Returns the ID of the profile and the anonymous ID. */
const makeProfile = async (harness: Harness, workspaceId: string): Promise<{ id: string; anonymousId: string }> => {
  const [userId, anonymousId] = [newId(), newId()]
  const time = new Date(harness.now()).toISOString()
  const event = { eventId, type: 'track', userId, anonymousId, context: {}, receivedAt: time, timestamp: time }
  await createLearning({ db: harness.db, metrics: noMetrics })([
    { workspaceId, sourceId: newId(), eventId, json: JSON.stringify(event) },
  ])
  const { profile_id } = await harness.db
    .selectFrom('profile_identifiers')
    .select('profile_id')
    .where('value', '=', userId)
    .executeTakeFirstOrThrow()
  return { id: profile_id, anonymousId }
}

/** Suppresses a new user. Resolves to the hash of the suppression. */
const suppress = async ({ administrator, workspaceId }: Organization): Promise<string> => {
  const value = newId()
  const body = { kind: 'suppress' as const, identifiers: [{ type: 'user_id', value }] }
  await administrator.ok(methods.privacyRequests.create, { workspace: workspaceId }, { body })
  const query = { search: value }
  const { suppressions } = await administrator.ok(methods.suppressions.list, { workspace: workspaceId }, { query })
  return idIn(suppressions[0]?.name ?? '')
}

/** A privacy request. */
const requestPrivacy = async ({ administrator, workspaceId }: Organization): Promise<string> => {
  const body = { kind: 'delete' as const, identifiers: [{ type: 'user_id', value: newId() }] }
  return idIn((await administrator.ok(methods.privacyRequests.create, { workspace: workspaceId }, { body })).name)
}

/** The ID of the failure group to which the dead letters of `parkDead` belong. */
const deadGroup = createHash('md5').update('dead\n500\nno').digest('hex')

let parkedAt = 0

/** Inserts a dead letter of a destination. */
const parkDead = async (harness: Harness, workspaceId: string, destinationId: string): Promise<void> => {
  await harness.db
    .insertInto('parked_deliveries')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      source_id: newId(),
      destination_id: destinationId,
      log_partition: 0,
      log_offset: parkedAt++,
      event_indexes: [0],
      event_ids: [eventId],
      event_count: 1,
      state: 'dead',
      attempts: 1,
      first_time: new Date(harness.now()),
      next_time: new Date(harness.now()),
      last_status: 500,
      last_reason: 'no',
    })
    .execute()
}

const replay = { kind: 'history', start_time: '2025-12-31T00:00:00Z', end_time: '2026-01-02T00:00:00Z' } as const

/** Returns the ID of a replay of a destination. Starts one if there is none. */
const replayIdOf = async ({ administrator, workspaceId }: Organization, made: Made): Promise<string> => {
  const params = { workspace: workspaceId, destination: idIn(made.destination.name) }
  const [known] = (await administrator.ok(methods.replays.list, params)).replays
  return idIn((known ?? (await administrator.ok(methods.replays.create, params, { body: replay }))).name)
}

/** Makes a key of the Profile API. Removes the previous ones, because a workspace can have only a few. */
const profileKeyIdOf = async (harness: Harness, { administrator, workspaceId }: Organization): Promise<string> => {
  await harness.db.deleteFrom('profile_keys').where('workspace_id', '=', workspaceId).execute()
  const body = { kind: 'secret', title: 'Key' } as const
  return idIn((await administrator.ok(methods.profileKeys.create, { workspace: workspaceId }, { body })).name)
}

/** Makes a token for orchestrators. Removes the previous ones, because a workspace can have only a few. */
const syncTokenIdOf = async (harness: Harness, { administrator, workspaceId }: Organization): Promise<string> => {
  await harness.db.deleteFrom('sync_tokens').where('workspace_id', '=', workspaceId).execute()
  const body = { title: 'Airflow' }
  return idIn((await administrator.ok(methods.syncTokens.create, { workspace: workspaceId }, { body })).name)
}

/** Makes an alert channel without a receiver. Removes the previous ones, because a workspace can have only a few. */
const alertChannelIdOf = async (harness: Harness, { administrator, workspaceId }: Organization): Promise<string> => {
  await harness.db.deleteFrom('alert_channels').where('workspace_id', '=', workspaceId).execute()
  const body = { title: 'On call', kind: 'webhook', url: 'http://127.0.0.1:9/' } as const
  return idIn((await administrator.ok(methods.alertChannels.create, { workspace: workspaceId }, { body })).name)
}

type Made = Awaited<ReturnType<typeof makeResources>>

/** The query of an audience of all profiles that have an email. */
export const trialAudience: AudienceQuery = {
  operator: 'and',
  includeAnonymous: true,
  groups: {
    aaaa: {
      tableName: 'users',
      operator: 'and',
      segments: [
        {
          id: 'bbbb',
          tableName: 'users',
          queries: [
            {
              id: 'cccc',
              type: 'attribute',
              selectedEvent: '',
              selectedAudience: null,
              selectedAttributes: [
                { id: 'dddd', name: 'email', valueType: 'text', operator: 'exists', value: '', values: [] },
              ],
              timeframe: null,
              count: { operator: 'at_least', value: 1 },
            },
          ],
        },
      ],
    },
  },
}

/** The definition of a computed trait that counts the orders of a profile. */
export const trialComputedTrait: ComputedTraitDefinition = {
  event: 'Order Completed',
  operation: 'count',
  property: '',
  window_days: 30,
  conditions: [],
}

/** The slugs of the requested entries in the catalogs. Other catalogs use `webhook`. */
const catalogApps: Readonly<Record<string, string>> = { catalogSources: 'http', catalogDataSources: 'database' }

const trialDataSource = {
  title: 'Warehouse',
  app: { name: 'catalogDataSources/database' },
  settings: { host: 'db.example', user: 'reader', password: 'secret' },
}
const trialQuery = { sql: 'select id from customers' }

const trialMapping = { id: 'aaaa', destination: 'send', field_mappings: [] }

/** Returns the request bodies of methods that need no special resources, by method. */
const bodiesFor = (organization: Organization, made: Made): Readonly<Record<string, unknown>> => ({
  'users.login': { email: organization.administrator.email, password: testPassword },
  'users.update': { first_name: 'Ada', last_name: 'Lovelace' },
  'organizations.create': { title: 'New Inc', industry: 'other', workspace_title: 'Main' },
  'workspaces.create': { title: 'Staging', organization: organization.organization },
  'sources.create': { title: 'S', app: { name: 'catalogSources/http' } },
  'sources.update': { title: 'T', schema: '{"events":{"E":{}}}' },
  'sources.previewTemplate': { template: '{}', body: '{}' },
  'sources.updateSetting': { name: 'signing_secret', value: 'whsec' },
  'writekeys.create': { source: made.source.name },
  'writekeys.rotate': {},
  'dataSources.create': trialDataSource,
  'dataSources.update': { title: 'Title' },
  'dataSources.updateSetting': { name: 'user', value: 'ada' },
  'dataSources.testConnection': {},
  'dataSources.preview': { query: trialQuery },
  'dataSources.validate': { query: trialQuery },
  'dataSources.checkKey': { query: trialQuery, primary_key: ['id'] },
  'models.update': { title: 'Title' },
  'syncDryRuns.createForSync': {},
  'syncDryRuns.cancel': {},
  'signalDrafts.update': { entered: { title: 'Orders' } },
  'syncDrafts.update': { target_object: 'records' },
  'syncs.update': { title: 'Title' },
  'syncs.run': {},
  'syncs.pause': {},
  'syncs.resume': {},
  'syncs.reset': {},
  'syncRuns.approve': {},
  'syncRuns.cancel': {},
  'syncRuns.rerun': {},
  'destinations.create': {
    title: 'Dest',
    app: { name: 'catalogDestinations/webhook' },
    settings: { url: 'https://a.example' },
  },
  'destinations.update': { title: 'Title' },
  'destinations.updateSetting': { name: 'batch_size', value: 5 },
  'destinations.retry': {},
  'ownConnectors.create': { title: 'Own' },
  'ownConnectors.update': { title: 'Title' },
  'ownConnectors.check': {},
  'ownConnectors.try': { kind: 'connection', settings: { url: 'http://127.0.0.1:1', api_key: 'key-1' } },
  'ownConnectors.publish': {},
  'failureGroups.discard': {},
  'heldWork.release': {},
  'destinations.testConnection': {},
  'peopleLists.create': { title: 'Customers' },
  'mappings.update': { event_mappings: [trialMapping] },
  'mappings.addPresets': {},
  'mappings.suggest': { destination: 'send' },
  'mappings.preview': { event_mapping: trialMapping, payload: '{}' },
  'mappings.sendTest': { event_mapping: trialMapping, payload: '{}' },
  'violations.replayBlocked': {},
  'replays.preview': replay,
  'replays.create': replay,
  'replays.pause': {},
  'replays.resume': {},
  'replays.cancel': {},
  'connections.update': { enabled: false },
  'identitySettings.update': { link_email: true },
  'personDataPlaces.update': { places: { email: ['traits.mail'] } },
  'personDataPlaces.count': {},
  'signalSettings.update': { without_consent: 'leave_out' },
  'audiences.create': { title: 'Reachable', query: trialAudience },
  'audiences.update': { title: 'Reachable by mail' },
  'audiences.compute': {},
  'audiences.pause': {},
  'audiences.resume': {},
  'audiences.preview': { query: trialAudience },
  'audiences.restoreVersion': {},
  'computedTraits.create': { trait: `orders ${newId()}`, definition: trialComputedTrait },
  'computedTraits.update': { definition: { ...trialComputedTrait, window_days: 7 } },
  'computedTraits.preview': { definition: trialComputedTrait },
  'alertChannels.create': { title: 'On call', kind: 'webhook', url: 'http://127.0.0.1:9/' },
  'alertChannels.update': { title: 'Renamed' },
  'syncTokens.create': { title: 'Token' },
  'profileKeys.create': { kind: 'secret', title: 'Key' },
  'profileKeys.update': { title: 'Key' },
  'profileKeys.rotate': {},
  'sessions.deleteOthers': {},
  'privacyRequests.create': { kind: 'delete', identifiers: [{ type: 'user_id', value: newId() }] },
  'warehouseLoads.start': {},
  'warehouseLoads.countConversion': { table: 'order_completed', column: 'total', type: 'text' },
  'warehouseLoads.changeColumn': { kind: 'drop_column', table: 'order_completed', column: 'total' },
})

/** Makes an audience with two versions. */
const makeAudience = async ({ administrator, workspaceId }: Organization): Promise<string> => {
  const body = { title: 'Reachable', query: trialAudience }
  const { name } = await administrator.ok(methods.audiences.create, { workspace: workspaceId }, { body })
  await administrator.call('PATCH', `/${name}?update_mask=title`, { title: 'Reachable by email' })
  return idIn(name)
}

/** Makes a call about the list of an audience, which contains a profile. */
const listRequest = async (
  harness: Harness,
  { administrator, workspaceId }: Organization,
  { path, name }: { path: string; name: string },
): Promise<{ path: string; body: unknown }> => {
  const { id, anonymousId } = await makeProfile(harness, workspaceId)
  const list = { kind: 'anonymous_id' as const, values: [anonymousId] }
  if (name === 'audiences.importList') return { path, body: { title: 'Invited', ...list } }
  const body = { title: 'Invited', ...list }
  const made = await administrator.ok(methods.audiences.importList, { workspace: workspaceId }, { body })
  const own = path.replace(/audiences\/[^:]+/, `audiences/${idIn(made.name)}`)
  if (name === 'audiences.changeList') return { path: own, body: { operation: 'replace', ...list } }
  return { path: own, body: { profile: `workspaces/${workspaceId}/profiles/${id}` } }
}

/** Makes a computed trait. Removes the previous ones, because a workspace can have only a few. */
const makeComputedTrait = async (harness: Harness, { administrator, workspaceId }: Organization): Promise<string> => {
  await harness.db.deleteFrom('computed_traits').where('workspace_id', '=', workspaceId).execute()
  const body = { trait: 'orders', definition: trialComputedTrait }
  return idIn((await administrator.ok(methods.computedTraits.create, { workspace: workspaceId }, { body })).name)
}

/** A data source. */
const makeDataSource = ({ administrator, workspaceId }: Organization): Promise<DataSource> =>
  administrator.ok(methods.dataSources.create, { workspace: workspaceId }, { body: trialDataSource })

/** Makes a data source, and the path and body of a call that uploads a file to it. */
const uploadRequest = async ({
  administrator,
  workspaceId,
}: Organization): Promise<{ path: string; body: unknown }> => {
  const body = { title: 'File', app: { name: 'catalogDataSources/upload' } }
  const { name } = await administrator.ok(methods.dataSources.create, { workspace: workspaceId }, { body })
  const content = Buffer.from('id,email\n1,ada@example.com').toString('base64')
  return { path: `/${name}/uploads`, body: { upload_id: newId(), file_name: 'a.csv', content } }
}

/** Makes a data source, and the body that creates a model of it. */
const trialModel = async (organization: Organization) => ({
  title: 'Customers',
  data_source: (await makeDataSource(organization)).name,
  query: trialQuery,
  primary_key: ['id'],
})

const makeModel = async (organization: Organization): Promise<string> => {
  const { administrator, workspaceId } = organization
  const body = await trialModel(organization)
  return idIn((await administrator.ok(methods.models.create, { workspace: workspaceId }, { body })).name)
}

/**
 * Makes the body that creates a sync. It uses an existing model, because a workspace can have only a few data sources.
 */
export const trialSync = async (harness: Harness, organization: Organization, destination: string) => {
  const { workspaceId } = organization
  const known = await harness.db
    .selectFrom('models')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return {
    title: 'Customers',
    model: `workspaces/${workspaceId}/models/${known?.id ?? (await makeModel(organization))}`,
    destination,
    object: 'records',
    object_name: 'customers',
    mode: 'UPSERT_ONLY' as const,
    identifier: 'id',
    fields: [{ column: 'id', target: 'id' }],
  }
}

/**
 * Makes a sync to a destination (a resource name). Removes the previous ones, because a workspace can have only a few.
 */
export const makeSync = async (harness: Harness, organization: Organization, destination: string): Promise<string> => {
  const { administrator, workspaceId } = organization
  await harness.db.deleteFrom('syncs').where('workspace_id', '=', workspaceId).execute()
  const body = await trialSync(harness, organization, destination)
  return idIn((await administrator.ok(methods.syncs.create, { workspace: workspaceId }, { body })).name)
}

/** Makes a dry run. Removes the previous ones, because a workspace can have only a few at a time. */
const makeDryRun = async (harness: Harness, organization: Organization, destination: string): Promise<string> => {
  const { administrator, workspaceId } = organization
  const sync = await makeSync(harness, organization, destination)
  const params = { workspace: workspaceId, sync }
  return idIn((await administrator.ok(methods.syncDryRuns.createForSync, params, { body: {} })).name)
}

/** Makes a run of a sync that can be approved or canceled. */
const makeSyncRun = async (
  harness: Harness,
  { administrator, workspaceId }: Organization,
  sync: string,
): Promise<string> => {
  const run = await administrator.ok(methods.syncs.run, { workspace: workspaceId, sync }, { body: {} })
  const id = idIn(run.name)
  await harness.db.updateTable('sync_runs').set({ state: 'needs_approval' }).where('id', '=', id).execute()
  return id
}

/** Ends a run whose only row was rejected. */
const rejectRow = async (harness: Harness, run: string): Promise<void> => {
  const none = { added: 0, changed: 0, unchanged: 0, skipped: 0, invalid: 0, waiting: 0 }
  const removals = { removed: 0, removals_rejected: 0, removals_waiting: 0 }
  const counts = JSON.stringify({ read: 1, rejected: 1, ...none, ...removals })
  await harness.db.updateTable('sync_runs').set({ state: 'partial', counts }).where('id', '=', run).execute()
}

/** Makes a source that has settings. */
const makeSignedSource = ({ administrator, workspaceId }: Organization): Promise<Source> =>
  administrator.ok(
    methods.sources.create,
    { workspace: workspaceId },
    { body: { title: 'Signed', app: { name: 'catalogSources/signed' } } },
  )

/** Makes another organization of the same people, and the call that deletes it. */
const deletionRequest = async (harness: Harness, { organizationId, administrator }: Organization) => {
  const body = { title: 'Short-lived', industry: 'gaming', workspace_title: 'Main' } as const
  const made = await administrator.ok(methods.organizations.create, {}, { body })
  const id = idIn(made.organization.name)
  await sql`insert into memberships (id, organization_id, user_id, role, create_time)
    select gen_random_uuid(), ${id}::uuid, user_id, role, create_time from memberships
    where organization_id = ${organizationId}::uuid on conflict do nothing`.execute(harness.db)
  return { path: `/organizations/${id}:delete`, body: { title: 'Short-lived' } }
}

/** Makes another workspace in the organization, and the call that deletes it. */
const workspaceDeletionRequest = async ({ organization, administrator }: Organization) => {
  const body = { title: 'Short-lived', organization }
  const made = await administrator.ok(methods.workspaces.create, {}, { body })
  return { path: `/${made.name}:delete`, body: { title: 'Short-lived' } }
}

/** Makes a call about an organization and its API keys, or about the custom domain of a workspace. */
const organizationRequest = async (harness: Harness, organization: Organization, name: string) =>
  name === 'organizations.delete'
    ? await deletionRequest(harness, organization)
    : name === 'workspaces.delete'
      ? await workspaceDeletionRequest(organization)
      : ((await apiKeyRequest(harness, organization, name)) ?? (await customDomainRequest(harness, organization, name)))

const period = 'start_date.seconds=1767225600&end_date.seconds=1767312000'

/** Fixed query parameters of calls, by method. */
const queries: Readonly<Record<string, string>> = {
  'destinations.getObject': 'object=records',
  'dataSources.getTable': 'schema=public&table=customers',
  'profiles.getTraitHistory': 'trait=plan',
  'metrics.get': `metric=events_received&${period}`,
  'audiences.getHistory': period,
  'audiences.suggest': 'kind=event',
  'deliveryOverviews.get': period,
  'leftOutCounts.get': period,
}

type World = { harness: Harness; organization: Organization }

/** Makes the call of a method that needs no resources of the workspace. */
const specialRequest = async (
  { harness, organization, provider }: World & { provider: OpenIdProvider },
  method: (typeof methodList)[number],
  caller: Caller | undefined,
): Promise<Awaited<ReturnType<RequestOf>> | undefined> => {
  const { name, path } = method
  const special =
    (await billingRequest(harness, organization, method)) ?? (await organizationRequest(harness, organization, name))
  if (special !== undefined) return special
  const forCaller =
    (await peopleRequest(harness, organization, name, caller)) ??
    (await grantRequest(organization, provider, name, caller)) ??
    (await signInRequest(harness, organization, provider, name))
  if (forCaller !== undefined) return { ...forCaller, forCaller: true }
  if (name === 'users.sendOtp') return { path, body: { email: `${newId()}@example.com`, action: 'login' } }
  if (name !== 'users.loginOtp' && name !== 'users.signup') return undefined
  const email = name === 'users.signup' ? `${newId()}@example.com` : organization.administrator.email
  const otp_token = await harness.codeFor(email, name === 'users.signup' ? 'sign up' : 'login')
  return { path, body: { email, otp_token } }
}

/** Returns the path parameters of a method, each of a resource that exists. */
const paramsOf = async (
  { harness, organization }: World,
  method: (typeof methodList)[number],
  made: Made,
  profile: string,
): Promise<Record<string, string>> => {
  const { name } = method
  const { administrator, workspaceId } = organization
  const has = (param: string): boolean => method.path.includes(`{${param}}`)
  // The previous data sources are removed, because a workspace can have only a few.
  if (name.startsWith('uploads'))
    await harness.db.deleteFrom('data_sources').where('workspace_id', '=', workspaceId).execute()
  const params: Record<string, string> = {
    user: administrator.userId,
    session: await anotherSession(harness, administrator.userId),
    organization: organization.organizationId,
    workspace: workspaceId,
    source: idIn(made.source.name),
    destination: idIn(made.destination.name),
    writekey: idIn(made.writekey.name),
    connection: idIn(made.connection.name),
    event: eventId,
    profile,
    ...(has('profile_key') ? { profile_key: await profileKeyIdOf(harness, organization) } : {}),
    ...(has('sync_token') ? { sync_token: await syncTokenIdOf(harness, organization) } : {}),
    ...(has('alert_channel') ? { alert_channel: await alertChannelIdOf(harness, organization) } : {}),
    ...(has('held_work') ? { held_work: await makeReleasable(harness, workspaceId) } : {}),
    failure_group: deadGroup,
    suppression: name === 'suppressions.delete' ? await suppress(organization) : '',
    privacy_request: name === 'privacyRequests.get' ? await requestPrivacy(organization) : '',
    version: '1',
    row: '1',
    app: catalogApps[name.split('.')[0] ?? ''] ?? 'webhook',
    ...(has('data_source') ? { data_source: idIn((await makeDataSource(organization)).name) } : {}),
    ...(has('own_connector') ? { own_connector: await makeOwnConnector(harness, organization) } : {}),
    ...(has('model') ? { model: await makeModel(organization) } : {}),
    ...(has('audience') ? { audience: await makeAudience(organization) } : {}),
    ...(name.startsWith('computedTraits') ? { computed_trait: await makeComputedTrait(harness, organization) } : {}),
    ...(has('signal') ? { signal: await makeSignal(harness, organization, made.source.name) } : {}),
    ...(has('replay') ? { replay: await replayIdOf(organization, made) } : {}),
  }
  if (has('people_list')) params.people_list = 'list-1'
  if (name.startsWith('warehouseLoads')) Object.assign(params, await warehouseParams(organization))
  if (has('sync')) params.sync = await makeSync(harness, organization, made.destination.name)
  if (name.startsWith('syncDryRuns'))
    await harness.db.deleteFrom('sync_dry_runs').where('workspace_id', '=', workspaceId).execute()
  if (has('dry_run')) params.dry_run = await makeDryRun(harness, organization, made.destination.name)
  if (has('run')) params.run = await makeSyncRun(harness, organization, params.sync ?? '')
  if (name === 'syncRuns.rerun') await rejectRow(harness, params.run ?? '')
  return params
}

/** Makes the function that makes a call of any method in an organization. */
export const createRequests = async (
  harness: Harness,
  organization: Organization,
  provider: OpenIdProvider,
): Promise<RequestOf> => {
  await storeEvent(harness, organization.workspaceId)
  // The resources that all calls share that do not change them. They are made before the first call, so that no write is
  // in progress during a call.
  const readable = await makeResources(organization.workspaceId, organization.administrator)
  return async (name, caller) => {
    const method = methodList.find((each) => each.name === name)
    if (method === undefined) throw new Error(name)
    if (name === 'users.logout') return { path: method.path, body: {} }
    const special = await specialRequest({ harness, organization, provider }, method, caller)
    if (special !== undefined) return special
    const { administrator, workspaceId } = organization
    const changes = /\{(?:source|writekey|destination|connection)\}/.test(method.path) || name === 'connections.create'
    const made = method.verb === 'GET' || !changes ? { ...readable } : await makeResources(workspaceId, administrator)
    if (name === 'sources.updateSetting' || name === 'sources.previewTemplate')
      made.source = await makeSignedSource(organization)
    if (name.startsWith('failureGroups')) await parkDead(harness, workspaceId, idIn(made.destination.name))
    const profile = method.path.includes('{profile}') ? await makeProfile(harness, workspaceId) : undefined
    const params = await paramsOf({ harness, organization }, method, made, profile?.id ?? '')
    const path = method.path.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '')
    const signal = await signalRequest(harness, organization, { name, path, source: made.source.name })
    if (signal !== undefined) return signal
    if (name === 'users.setPassword') {
      const name = `users/${organization.administrator.userId}`
      return { path, body: { name, current_password: testPassword, password: testPassword } }
    }
    if (queries[name] !== undefined) return { path: `${path}?${queries[name]}` }
    if (name === 'uploads.create') return await uploadRequest(organization)
    if (name === 'models.create') return { path, body: await trialModel(organization) }
    if (name === 'syncs.create' || name === 'syncDryRuns.create' || name.startsWith('syncTestRows'))
      return { path, body: await trialSync(harness, organization, made.destination.name) }
    if (name === 'profiles.split')
      return { path, body: { identifiers: [{ type: 'anonymous_id', value: profile?.anonymousId }] } }
    if (name === 'connections.create') {
      await administrator.call('DELETE', `/${made.connection.name}`)
      return { path, body: { source: made.source.name, destination: made.destination.name } }
    }
    if (method.path.includes('{audience}') && /estination$|cancelFill$|resend$/.test(name)) {
      const body = { destination: made.destination.name }
      if (name !== 'audiences.connectDestination')
        await organization.administrator.ok(
          methods.audiences.connectDestination,
          { workspace: workspaceId, audience: params.audience ?? '' },
          { body: { ...body, changes_only: name === 'audiences.resend' } },
        )
      return { path, body }
    }
    if (name.startsWith('audiences.') && name.includes('List') && method.verb === 'POST')
      return await listRequest(harness, organization, { path, name })
    if (name === 'audiences.explain') {
      const { id } = await makeProfile(harness, workspaceId)
      return { path: `${path}?profile=workspaces/${workspaceId}/profiles/${id}` }
    }
    if (name === 'events.batchGetBySource') return { path: `${path}?event_ids=${eventId}` }
    if (name === 'workspaces.list') return { path: `${path}?user=users/${organization.administrator.userId}` }
    return { path, ...(method.request === undefined ? {} : { body: bodiesFor(organization, made)[name] }) }
  }
}
