import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthorize, type Db } from '@tributary/api-kit'
import { type Catalog, createOwnDestinations } from '@tributary/configuration'
import {
  createEgressPolicy,
  createRequestClient,
  type DataSourceDefinition,
  type DestinationDefinition,
  defineSettings,
  listDataSource,
  listDestination,
  listSource,
  type SourceDefinition,
  setting,
} from '@tributary/connector-kit'
import { ownDescription } from '@tributary/connector-kit/testing-own-connector'
import {
  type ClientConfig,
  formatPath,
  type Method,
  type MethodParams,
  type MethodQuery,
  type MethodRequest,
  type MethodResponse,
  methods,
  type RequestMeta,
  type Role,
} from '@tributary/contract'
import { apiServerOptions, createApi } from '@tributary/http'
import { createSecretBox, createWorkShare, newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLatestProfileValues, createProfileLedger, openForgottenFile } from '@tributary/profiles'
import { createCoordinationHub, openFolderBlobs, openFolderFiles, openPgBossJobs } from '@tributary/storage'
import { createTestDatabase, createTestEventStoreOnUse } from '@tributary/test-kit'
import fastify, { type FastifyInstance } from 'fastify'
import { mailJob } from '../../../api-kit/src/mail/queue-mail.ts'
import type { ProfileLedger } from '../../../api-kit/src/profiles/ledger.ts'
import { computeJob } from '../../../audiences/src/compute.ts'
import { defaultPlans } from '../../../billing/src/catalogue.ts'
import { releaseJob } from '../../../billing/src/usage/release.ts'
import { erasureJob } from '../../../privacy/src/erasure-job.ts'
import { alertJob } from '../../../syncs/src/alert-channels/queue.ts'
import { syncJob } from '../../../syncs/src/begin-run.ts'
import { dryRunJob } from '../../../syncs/src/dry-runs/begin.ts'
import { loadJob } from '../../../warehouses/src/begin-load.ts'
import { defaultAuditRetention } from '../audit-records/retention.ts'
import { createDns } from '../custom-domains/dns.ts'
import { type ControlDeps, createControl } from '../index.ts'
import { createSessions } from '../sessions/sessions.ts'
import { createPasswords, type Passwords } from '../users/sign-in/passwords.ts'
import { testDataSource, testUploadSource } from './data-source.ts'
import { testPermittedDestination } from './permitted-destination.ts'
import { emptyWarehouse, warehouseDestination } from './warehouse-destination.ts'

/** Test settings with one setting of each type. */
const testSettings = defineSettings({
  url: setting.url({ label: 'URL', help: '', required: true }),
  region: setting.text({ label: 'Region', help: '', editable: false }),
  batch_size: setting.number({ label: 'Size', help: '', default: 10, min: 1, max: 99 }),
  signing_secret: setting.secret({ label: 'Secret', help: '', sentTo: [] }),
  headers: setting.headers({ label: 'Headers', help: '', sentTo: [{ setting: 'url', by: 'origin' }] }),
})

/** A test destination whose settings have one field of each type. */
export const testDestination: DestinationDefinition = {
  slug: 'webhook',
  title: 'Webhook',
  description: 'For tests.',
  docs: { url: 'https://docs.example/webhook', steps: [{ title: 'Prepare', text: 'An address.' }] },
  settings: testSettings,
  category: 'Automation',
  kinds: ['Event Streams'],
  auth: 'none',
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'Each event in a request.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send'],
    },
  ],
  actions: [
    {
      name: 'send',
      title: 'Send event',
      description: 'Sends the event.',
      targets: [],
      customTargets: true,
      wholeEvent: true,
      eventTypes: [],
    },
  ],
  presets: [{ action: 'send', fields: {} }],
  batching: () => ({ maxEvents: 1, maxBytes: 1, maxWaitMs: 0 }),
  testConnection: async () => ({ ok: true, message: 'It answers.' }),
  deliver: async () => ({ outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 0 }),
  deliverRows: async () => ({ outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 0 }),
  peopleLists: {
    setting: 'region',
    title: 'list',
    maxTitle: 50,
    read: async () => ({ lists: [{ id: 'list-1', title: 'VIPs', note: '' }], next: '' }),
    facts: async () => [{ title: 'Matched people', value: '100' }],
    create: async (_context, title) => ({ id: 'list-2', title, note: '' }),
  },
  rowObjects: [
    {
      name: 'records',
      title: 'Records',
      description: 'Each row in a request.',
      syncModes: ['FULL_SYNC', 'UPSERT_ONLY'],
      address: ({ name }) => name,
    },
  ],
}

/** A test source that has a secret and a template. */
const testSignedSource: SourceDefinition = {
  slug: 'signed',
  title: 'Signed',
  description: 'd',
  type: 5,
  docsUrl: 'https://docs.example',
  guide: [],
  webhook: { receive: () => ({ events: [] }), signed: true },
  settings: defineSettings({
    signing_secret: setting.secret({ label: 'Secret', help: '' }),
    template: setting.template({ label: 'Template', help: '' }),
  }),
}

/** The address of the logos in the catalog of the tests. */
const testIcon = '/media/connectors/logo.svg'

/** Returns catalog entries for these destinations. */
export const listed = (...definitions: readonly DestinationDefinition[]): Catalog['destinations'] =>
  definitions.map((definition) => listDestination(definition, testIcon))

/** Returns catalog entries for these sources. */
export const listedSources = (...definitions: readonly SourceDefinition[]): Catalog['sources'] =>
  definitions.map((definition) => listSource(definition, testIcon))

/** Returns catalog entries for these data sources. */
export const listedDataSources = (...definitions: readonly DataSourceDefinition[]): Catalog['dataSources'] =>
  definitions.map((definition) => listDataSource(definition, testIcon))

export const testCatalog: Catalog = {
  sources: listedSources(
    {
      slug: 'http',
      title: 'HTTP API',
      description: 'd',
      type: 3,
      docsUrl: '/docs/collection',
      guide: [{ title: 't', text: 'x' }],
    },
    { slug: 'javascript', title: 'JavaScript', description: 'd', type: 1, docsUrl: 'https://docs.example', guide: [] },
    testSignedSource,
    { slug: 'ads', title: 'Ads', description: 'd', type: 5, targetProduct: 'SIGNALS', docsUrl: '', guide: [] },
  ),
  destinations: listed(testDestination, testPermittedDestination, warehouseDestination(emptyWarehouse())),
  dataSources: listedDataSources(testDataSource, testUploadSource),
}

/** The texts of a destination of the tests that is described by data. */
const textsOf = async (slug: string) =>
  slug === 'webhook' ? { description: JSON.stringify(ownDescription()), guide: '## Step\nText.' } : undefined

export const testClientConfig: ClientConfig = {
  sign_up_enabled: true,
  oauth: null,
  links: {
    terms: 'https://tributary.example/terms',
    privacy: 'https://tributary.example/privacy',
    pricing: 'https://tributary.example/pricing',
    contact_sales: 'https://tributary.example/sales',
    documentation: 'https://tributary.example/docs',
    support_email: 'support@tributary.example',
  },
  sentry_dsn: '',
  environment: 'production',
  messaging_app_id: '',
  stripe_publishable_key: '',
  analytics_write_key: '',
  mail_enabled: true,
  payment: 'sandbox',
}

export type Reply = { status: number; body: Record<string, unknown>; headers: Record<string, unknown> }
type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A signed-in person who calls the API. */
export type Caller = {
  userId: string
  email: string
  token: string
  call(verb: Verb, path: string, body?: unknown): Promise<Reply>
  /** Calls a method of the contract. Throws unless the response has the status 200. */
  ok<M extends Method>(
    method: M,
    params: MethodParams<M>,
    given?: { body?: MethodRequest<M>; query?: MethodQuery<M> },
  ): Promise<MethodResponse<M>>
}

const queryText = (query: unknown): string => {
  if (typeof query !== 'object' || query === null) return ''
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return `?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`
}

/** Parses a response with the schema of its method, and returns it with the type of the method. */
const checked = <M extends Method>(method: M, body: unknown): MethodResponse<M> =>
  method.response.parse(body) as MethodResponse<M>

export const testPassword = 'Correct-horse-1'
/** The public address of the product, with which links in mail start. */
export const publicUrl = 'https://cdp.example.com'
export const startTime = Date.parse('2026-03-04T05:06:07.890Z')

/** A hasher that takes a hundredth of the processor time. The hash itself is the subject of few tests. */
const quickPasswords = createPasswords({ memoryCost: 64, timeCost: 1, parallelism: 1 })

/** Makes functions that create signed-in people with roles and call the API, with or without a token. */
const createPeople = async (app: FastifyInstance, db: Db, clock: () => number, passwords: Passwords) => {
  const passwordHash = await passwords.hash(testPassword)

  const call = async (token: string, verb: Verb, path: string, body?: unknown): Promise<Reply> => {
    const reply = await app.inject({
      method: verb,
      url: `/api${path}`,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }

  const sessions = createSessions({ db, clock })

  const callerOf = (userId: string, email: string, token: string): Caller => ({
    userId,
    email,
    token,
    call: (verb, path, body) => call(token, verb, path, body),
    async ok(method, params, given = {}) {
      const path = formatPath(method.path, params) + queryText(given.query)
      const reply = await call(token, method.verb, path, given.body)
      if (reply.status !== 200) throw new Error(`${method.name} ${path}: ${JSON.stringify(reply.body)}`)
      return checked(method, reply.body)
    },
  })

  return {
    call,
    /** Creates a signed-in person with these roles. */
    async person(roles: Record<string, Role> = {}, options: { platformAdmin?: boolean } = {}): Promise<Caller> {
      const userId = newId()
      const email = `${userId}@example.com`
      await db
        .insertInto('users')
        .values({ id: userId, email, password_hash: passwordHash, is_admin: options.platformAdmin ?? false })
        .execute()
      for (const [organization_id, role] of Object.entries(roles))
        await db
          .insertInto('memberships')
          .values({ id: newId(), organization_id, user_id: userId, role, create_time: new Date(clock()) })
          .execute()
      // The session is created directly: a login would check a password, which takes a hundred times as long.
      const token = await db
        .transaction()
        .execute((tx) => sessions.begin(tx, userId, { ip: '127.0.0.1', userAgent: 'lightMyRequest' }))
      return callerOf(userId, email, token)
    },
    /** Requests a one-time code for an address, and reads it from the mail. */
    async codeFor(email: string, action: 'login' | 'sign up'): Promise<string> {
      const reply = await call('', 'POST', '/users:sendOtp', { email, action })
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
      const mail = await db
        .selectFrom('mails')
        .select('body_text')
        .where('recipient', '=', email)
        .orderBy('create_time', 'desc')
        .executeTakeFirstOrThrow()
      return /^ {4}(\S+)$/m.exec(mail.body_text)?.[1] ?? ''
    },
  }
}

/**
 * Starts the control plane behind its HTTP API, with real databases. `options` replace its dependencies. Passwords are
 * hashed at the cost of the product if `passwords` is undefined there, otherwise quickly.
 */
export const startControl = async (options: Partial<ControlDeps> = {}) => {
  const database = await createTestDatabase()
  const eventStore = createTestEventStoreOnUse()
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  const blobs = await openFolderBlobs(folder)
  const files = await openFolderFiles(join(folder, 'uploads'))
  const secretBox = createSecretBox(Buffer.alloc(32, 7))
  const jobs = await openPgBossJobs({
    pool: database.pool,
    kinds: [mailJob, erasureJob, computeJob, syncJob, dryRunJob, alertJob, releaseJob, loadJob],
    logger: silentLogger,
    metrics: noMetrics,
  })
  const requestClient = createRequestClient({
    egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }),
    logger: silentLogger,
  })
  const profileLedger: ProfileLedger = createProfileLedger(database.db)
  let now = startTime
  // Counters expire by the clock of the harness.
  const hub = createCoordinationHub({ logger: silentLogger, now: () => now })
  const accessChanges: string[] = []
  const requests: { meta: RequestMeta; body: string }[] = []
  const published: { channel: string; event: string; data: unknown }[] = []
  const control = createControl({
    db: database.db,
    eventStore,
    jobs,
    secretBox,
    receiveWebhook: () => ({ events: [] }),
    workShare: createWorkShare(),
    counters: hub.coordination,
    requestClient,
    blobs,
    files,
    uploads: { maxBytes: 1024 * 1024, diskOk: () => true },
    profileLedger,
    profileValues: createLatestProfileValues(database.db),
    forgottenHashes: await openForgottenFile(join(folder, 'forgotten.ndjson'), database.db),
    whenStored: async () => {},
    forgetInDeliveries: async () => {},
    notifyDestinations: async () => {},
    oldestLogged: async () => Number.POSITIVE_INFINITY,
    logRetentionMs: 48 * 3_600_000,
    live: (channel, event, data) => void published.push({ channel, event, data }),
    appendRequest: async (meta, body) => void requests.push({ meta, body: Buffer.from(body).toString() }),
    realtimeKey: 'realtime-key',
    clientConfig: testClientConfig,
    installation: () => ({ version: '0', parts: [] }),
    billing: { plans: defaultPlans, payment: 'sandbox', limits: false, unpaidDays: 14, graceHours: 72, eventsDays: 0 },
    auditRetention: defaultAuditRetention,
    customDomains: { dns: createDns(['127.0.0.1:1']), target: undefined },
    onAccessChanged: (userId) => accessChanges.push(userId),
    // Every reading of the clock is 1 ms later, so that the order of creation is known.
    clock: () => now++,
    publicUrl: () => publicUrl,
    signing: { codes: Buffer.alloc(32, 8), inbox: Buffer.alloc(32, 9) },
    messagingSecret: undefined,
    passwords: quickPasswords,
    logger: silentLogger,
    ...options,
    catalog: {
      own: createOwnDestinations({ db: database.db, normalizations: {}, textsOf }),
      ...(options.catalog ?? testCatalog),
    },
  })
  const app = fastify(apiServerOptions)
  await createApi({
    fastify: app,
    handlers: control.handlers,
    authenticate: (token) => control.authenticate(token),
    authorize: createAuthorize({ db: database.db }),
    logger: silentLogger,
    metrics: noMetrics,
  })
  const passwords = ('passwords' in options ? options.passwords : quickPasswords) ?? createPasswords()
  const people = await createPeople(app, database.db, () => now++, passwords)

  return {
    ...control,
    app,
    database,
    db: database.db,
    eventStore,
    profileLedger,
    jobs,
    blobs,
    files,
    secretBox,
    /** The messages that were published on realtime channels. */
    published,
    /** The requests in the log of accepted requests. */
    requests,
    ...people,
    /** Moves the clock of the control plane forward. */
    advance(ms: number) {
      now += ms
    },
    now: () => now,
    /** The IDs of users whose access was reported as changed, in this order. */
    accessChanges,
    /** Returns the queued mail for an address, oldest first. */
    mailsTo: (recipient: string) =>
      database.db.selectFrom('mails').selectAll().where('recipient', '=', recipient).orderBy('create_time').execute(),
    /** Returns the rows of the audit log, oldest first. */
    audits: () => database.db.selectFrom('audit_log').selectAll().orderBy('id').execute(),
    async [Symbol.asyncDispose]() {
      await app.close()
      await hub.close()
      await eventStore.close()
      await rm(folder, { recursive: true, force: true })
      await database.close()
    },
  }
}

export type Harness = Awaited<ReturnType<typeof startControl>>

const create = (title: string) => ({ body: { title, industry: 'gaming', workspace_title: 'Production' } }) as const

/** Returns the last ID in a resource name. */
export const idIn = (name: string): string => name.split('/').at(-1) ?? ''

/** Creates an organization with one person of each role, and one person of another organization. */
export const startOrganization = async (harness: Harness) => {
  const made = await (await harness.person()).ok(methods.organizations.create, {}, create('Acme Inc'))
  const other = await (await harness.person()).ok(methods.organizations.create, {}, create('Other Inc'))
  const organizationId = idIn(made.organization.name)
  return {
    organization: made.organization.name,
    organizationId,
    workspace: made.workspace.name,
    workspaceId: idIn(made.workspace.name),
    otherOrganizationId: idIn(other.organization.name),
    otherWorkspaceId: idIn(other.workspace.name),
    administrator: await harness.person({ [organizationId]: 'ORG_ADMIN' }),
    collaborator: await harness.person({ [organizationId]: 'ORG_COLLABORATOR' }),
    guest: await harness.person({ [organizationId]: 'ORG_GUEST' }),
    outsider: await harness.person({ [idIn(other.organization.name)]: 'ORG_ADMIN' }),
    platformAdmin: await harness.person({}, { platformAdmin: true }),
  }
}

export type Organization = Awaited<ReturnType<typeof startOrganization>>

/** Makes a source, a write key, a destination, and a connection of source and destination, as this caller. */
export const makeResources = async (
  workspaceId: string,
  editor: Caller,
  settings: Record<string, string> = { url: 'https://receiver.example/hook', signing_secret: 'very secret' },
) => {
  const workspace = { workspace: workspaceId }
  const source = await editor.ok(methods.sources.create, workspace, {
    body: { title: 'Shop', app: { name: 'catalogSources/http' } },
  })
  const writekey = await editor.ok(methods.writekeys.create, workspace, { body: { source: source.name } })
  const destination = await editor.ok(methods.destinations.create, workspace, {
    body: { title: 'Receiver', app: { name: 'catalogDestinations/webhook' }, settings },
  })
  const connection = await editor.ok(methods.connections.create, workspace, {
    body: { source: source.name, destination: destination.name },
  })
  return { source, writekey, destination, connection }
}
