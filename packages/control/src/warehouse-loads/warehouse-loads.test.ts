import { ConfigurationError, RetryableError } from '@tributary/connector-kit'
import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { loadJob } from '@tributary/warehouses'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  listed,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
  testDestination,
} from '../testing/control-harness.ts'
import { emptyWarehouse, type WarehouseAnswers, warehouseDestination } from '../testing/warehouse-destination.ts'
import { makeWarehouse } from '../testing/warehouses.ts'

const secret = 'hush-hush-secret'
const never = { signal: new AbortController().signal }

let answers: WarehouseAnswers
const scripted = warehouseDestination({
  load: (context) => answers.load(context),
  tables: (context) => answers.tables(context),
  count: (context, span) => answers.count(context, span),
  conversion: (context, change) => answers.conversion(context, change),
  changeType: (context, change) => answers.changeType(context, change),
  renameColumn: (context, change) => answers.renameColumn(context, change),
  dropColumn: (context, change) => answers.dropColumn(context, change),
})

let harness: Harness
let organization: Organization
let params: { workspace: string; destination: string }
beforeAll(async () => {
  harness = await startControl({ catalog: { ...testCatalog, destinations: listed(testDestination, scripted) } })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  answers = emptyWarehouse()
  const { administrator, workspaceId } = organization
  params = {
    workspace: workspaceId,
    destination: idIn(await makeWarehouse(workspaceId, administrator, { password: secret })),
  }
})

const { list, get, getStatus, start, listTables, countConversion, changeColumn } = methods.warehouseLoads
const change = { table: 'order_completed', column: 'total', type: 'text' }
const place = (destination = params.destination) =>
  `/workspaces/${params.workspace}/destinations/${destination}/warehouseLoads`
const startLoad = (caller: Caller = organization.collaborator) => caller.ok(start, params, { body: {} })
const run = (signal = never) =>
  harness.runLoads({ workspace: params.workspace, destination: params.destination }, signal)

/** The calls of all methods, for a destination: verb, path, and body. */
const callsOf = (destination: string, load: string) =>
  [
    ['GET', place(destination)],
    ['GET', `${place(destination)}/${load}`],
    ['GET', `${place(destination)}:status`],
    ['POST', place(destination), {}],
    ['GET', `${place(destination)}:tables`],
    ['POST', `${place(destination)}:countConversion`, change],
    ['POST', `${place(destination)}:changeColumn`, { kind: 'change_type', ...change }],
  ] as const

test('a load is started with its user, waits, and is listed and read', async () => {
  const load = await startLoad()
  expect(load).toMatchObject({
    kind: 'load',
    change: '',
    state: 'waiting',
    trigger: 'user',
    creator: { name: `users/${organization.collaborator.userId}` },
    start_time: null,
    finish_time: null,
    tables: [],
    attempts: 0,
  })
  expect(await organization.guest.ok(list, params)).toEqual({ warehouse_loads: [load], next_page_token: '' })
  expect(await organization.guest.ok(get, { ...params, warehouse_load: idIn(load.name) })).toEqual(load)
})

test('starting twice gives one load and one job, also at the same time', async () => {
  const both = await Promise.all([startLoad(), startLoad(organization.administrator)])
  const third = await startLoad()
  expect(new Set([...both, third].map(({ name }) => name)).size).toBe(1)
  const jobs = await harness.database.pool.query(
    `select count(*)::int as count from jobs.job where name = $1 and data ->> 'destination' = $2`,
    [loadJob.name, params.destination],
  )
  expect(jobs.rows).toEqual([{ count: 1 }])
  await run()
  expect((await startLoad()).name).not.toBe(third.name)
})

test('a load that ran has its rows by table, most rows first', async () => {
  answers.load = async () => ({ batches: 1, rows: { users: 1, tracks: 5 }, bytes: 700, unfit: 2, more: false })
  const { name } = await startLoad()
  await run()
  expect(await organization.guest.ok(get, { ...params, warehouse_load: idIn(name) })).toMatchObject({
    state: 'succeeded',
    tables: [
      { table: 'tracks', row_count: 5 },
      { table: 'users', row_count: 1 },
    ],
    row_count: 6,
    bytes: 700,
    unfit_count: 2,
    attempts: 1,
    reason: '',
    statement: '',
  })
})

test('the status says how often loads run, what waits, and how far the tables are complete', async () => {
  const { collaborator, guest, workspaceId } = organization
  expect(await guest.ok(getStatus, params)).toEqual({
    every_minutes: 60,
    billed: true,
    next_load_time: null,
    complete_time: null,
    waiting_event_count: 0,
    loads_last_day: 0,
    seconds_last_day: 0,
    comparison: null,
  })
  await harness.queueDueLoads()
  const time = new Date(harness.now() - 3_600_000)
  await harness.db
    .insertInto('parked_deliveries')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      source_id: newId(),
      destination_id: params.destination,
      log_partition: 0,
      log_offset: 1,
      log_end: 2,
      event_indexes: [],
      event_count: 2,
      state: 'waiting',
      first_time: time,
      next_time: time,
    })
    .execute()
  await startLoad()
  await run()
  const status = await collaborator.ok(getStatus, params)
  expect(status).toMatchObject({
    waiting_event_count: 2,
    loads_last_day: 1,
    complete_time: time.toISOString(),
  })
  expect(status.next_load_time).not.toBeNull()
  await collaborator.call(
    'PATCH',
    `/workspaces/${workspaceId}/destinations/${params.destination}?update_mask=enabled`,
    {
      enabled: false,
    },
  )
  expect(await collaborator.ok(getStatus, params)).toMatchObject({ next_load_time: null })
})

test('tables come with their columns, and those that loads need are fixed', async () => {
  expect(await organization.collaborator.ok(listTables, params)).toEqual({
    tables: [
      {
        table: 'order_completed',
        columns: [
          { column: 'id', type: 'text', fixed: true },
          { column: 'received_at', type: 'time', fixed: true },
          { column: 'total', type: 'number', fixed: false },
          { column: 'extra_properties', type: 'json', fixed: true },
        ],
      },
    ],
    types: ['text', 'number', 'time'],
  })
})

test('a conversion is counted, and changes nothing', async () => {
  let asked: unknown
  const { conversion } = answers
  answers.conversion = (context, given) => {
    asked = given
    return conversion(context, given)
  }
  expect(await organization.collaborator.ok(countConversion, params, { body: change })).toEqual({
    value_count: 3,
    convert_count: 2,
    from_extra_count: 1,
    examples: ['many'],
  })
  expect(asked).toEqual(change)
  expect((await organization.guest.ok(list, params)).warehouse_loads).toEqual([])
})

test.each([
  [{ kind: 'change_type', ...change } as const, 'order_completed.total to text'],
  [{ kind: 'rename_column', table: 'users', column: 'plan', name: 'tariff' } as const, 'users.plan to tariff'],
  [{ kind: 'drop_column', table: 'users', column: 'plan' } as const, 'users.plan'],
])('a change of a column runs in a job, and is listed: %j', async (body, text) => {
  const given: unknown[] = []
  answers.changeType = async (_, asked) => void given.push(['change_type', asked])
  answers.renameColumn = async (_, asked) => void given.push(['rename_column', asked])
  answers.dropColumn = async (_, asked) => void given.push(['drop_column', asked])
  const made = await organization.collaborator.ok(changeColumn, params, { body })
  expect(made).toMatchObject({ kind: body.kind, change: text, state: 'waiting', trigger: 'user', tables: [] })
  expect(given).toEqual([])
  await run()
  const { kind, ...asked } = body
  expect(given).toEqual([[kind, asked]])
  expect((await organization.guest.ok(list, params)).warehouse_loads).toMatchObject([
    { name: made.name, state: 'succeeded' },
  ])
})

test.each([
  [{ kind: 'change_type', table: 'users', column: 'plan', type: 'blob' }, 'One of text, number, time'],
  [{ kind: 'change_type', table: 'users', column: 'plan' }, undefined],
  [{ kind: 'change_type', table: '', column: 'plan', type: 'text' }, undefined],
  [{ kind: 'change_type', table: 'users', column: 'x'.repeat(201), type: 'text' }, undefined],
  [{ kind: 'rename_column', table: 'users', column: 'plan', name: 'Plan' }, undefined],
  [{ kind: 'rename_column', table: 'users', column: 'plan', name: '1st' }, undefined],
  [{ kind: 'rename_column', table: 'users', column: 'plan', name: '' }, undefined],
  [{ kind: 'rename_column', table: 'users', column: 'plan', name: 'a"; drop table users; --' }, undefined],
  [{ kind: 'rename_column', table: 'users', column: 'plan', name: 'x'.repeat(64) }, undefined],
  [{ kind: 'rename_column', table: 'users', column: 'plan', name: 'plan__new' }, undefined],
  [{ kind: 'drop_column', table: 'users', column: 'pl\nan' }, undefined],
  [{ kind: 'drop_table', table: 'users' }, undefined],
  [{}, undefined],
])('a bad change is refused, and nothing is added: %j', async (body, words) => {
  const answer = await organization.collaborator.call('POST', `${place()}:changeColumn`, body)
  expect(answer).toMatchObject({ status: 400 })
  if (words !== undefined) expect(JSON.stringify(answer.body)).toContain(words)
  expect((await organization.guest.ok(list, params)).warehouse_loads).toEqual([])
})

test.each([[{ ...change, type: 'blob' }], [{ table: 'users', column: 'plan' }], [{}]])(
  'a count of a bad conversion is refused: %j',
  async (body) => {
    let asked = 0
    answers.conversion = async () => {
      asked++
      return { values: 0, convert: 0, fromExtra: 0, examples: [] }
    }
    const answer = await organization.collaborator.call('POST', `${place()}:countConversion`, body)
    expect(answer).toMatchObject({ status: 400 })
    expect(asked).toBe(0)
  },
)

test('without a session, with a wrong role, and from another organization, nothing is answered', async () => {
  const load = idIn((await startLoad()).name)
  for (const [verb, path, body] of callsOf(params.destination, load)) {
    expect((await harness.call('', verb, path, body)).status).toBe(401)
    expect((await organization.outsider.call(verb, path, body)).status).toBe(404)
    const isForEditors = verb === 'POST' || path.endsWith(':tables')
    expect((await organization.guest.call(verb, path, body)).status).toBe(isForEditors ? 403 : 200)
  }
})

test('a destination of another workspace, a deleted one, and an unknown load are not found', async () => {
  const { administrator, outsider, otherWorkspaceId, collaborator } = organization
  const load = idIn((await startLoad()).name)
  const foreign = idIn(await makeWarehouse(otherWorkspaceId, outsider))
  for (const [verb, path, body] of callsOf(foreign, load))
    expect((await collaborator.call(verb, path, body)).status).toBe(404)
  const own = idIn(await makeWarehouse(params.workspace, administrator))
  // A load of another destination of the workspace.
  expect((await collaborator.call('GET', `${place(own)}/${load}`)).status).toBe(404)
  for (const id of [newId(), 'nothing', '%00'])
    expect((await collaborator.call('GET', `${place()}/${id}`)).status).toBe(404)
  await administrator.call('DELETE', `/workspaces/${params.workspace}/destinations/${own}`)
  for (const [verb, path, body] of callsOf(own, load))
    expect((await collaborator.call(verb, path, body)).status).toBe(404)
})

test('a destination that is no warehouse has no loads, and says so', async () => {
  const { administrator, collaborator, workspaceId } = organization
  const webhook = idIn((await makeResources(workspaceId, administrator)).destination.name)
  for (const [verb, path, body] of callsOf(webhook, newId())) {
    const answer = await collaborator.call(verb, path, body)
    if (path === place(webhook) && verb === 'GET') expect(answer.body).toMatchObject({ warehouse_loads: [] })
    else if (path.startsWith(`${place(webhook)}/`)) expect(answer.status).toBe(404)
    else expect(answer).toMatchObject({ status: 400, body: { reason: 'NOT_A_WAREHOUSE' } })
  }
})

test.each([
  ['retryable', () => new RetryableError(`password ${secret} timed out`)],
  ['of the set-up', () => new ConfigurationError(`no grant for ${secret}`)],
])('a failure of the warehouse that is %s comes with its words and without secrets', async (_, errorOf) => {
  answers.tables = () => Promise.reject(errorOf())
  answers.conversion = () => Promise.reject(errorOf())
  for (const [verb, path, body] of [
    ['GET', `${place()}:tables`, undefined],
    ['POST', `${place()}:countConversion`, change],
  ] as const) {
    const answer = await organization.collaborator.call(verb, path, body)
    expect(answer).toMatchObject({ status: 412, body: { reason: 'DESTINATION_UNREACHABLE' } })
    const text = JSON.stringify(answer.body)
    expect(text).toMatch(/timed out|no grant for/)
    expect(text).not.toContain(secret)
  }
})

test('guests see neither the statement of a failed load nor the values in its reason', async () => {
  const exchange = { httpStatus: 0, latencyMs: 0, request: "INSERT 'ada@example.com'", response: '' }
  answers.load = () =>
    Promise.reject(new ConfigurationError(`no column for 'ada@example.com' (${secret})`).withExchange(exchange))
  const { name } = await startLoad()
  await run()
  const load = { ...params, warehouse_load: idIn(name) }
  const seen = await organization.collaborator.ok(get, load)
  expect(seen).toMatchObject({ state: 'failed', statement: "INSERT 'ada@example.com'" })
  expect(seen.reason).toContain("no column for 'ada@example.com'")
  expect(JSON.stringify(seen)).not.toContain(secret)
  expect(JSON.stringify(await organization.guest.ok(get, load))).not.toContain('ada@example.com')
  expect(JSON.stringify(await organization.guest.ok(list, params))).not.toContain('ada@example.com')
})

test('the loads of a destination come newest first, in pages', async () => {
  const names: string[] = []
  for (let at = 0; at < 3; at++) {
    names.unshift((await startLoad()).name)
    await run()
  }
  const first = await organization.guest.ok(list, params, { query: { page_size: 2 } })
  const query = { page_size: 2, page_token: first.next_page_token }
  const second = await organization.guest.ok(list, params, { query })
  expect([...first.warehouse_loads, ...second.warehouse_loads].map(({ name }) => name)).toEqual(names)
  expect(second.next_page_token).toBe('')
})
