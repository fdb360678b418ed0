import { formatSourceSchema, methods, parseSourceSchema, schemaLimits } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { templateSchema } from '../source-schema-templates/template.ts'
import { templates } from '../source-schema-templates/templates.ts'
import {
  type Caller,
  type Harness,
  idIn,
  listedSources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from '../testing/control-harness.ts'

const appSchema = parseSourceSchema('{"events":{"Charge Succeeded":{}}}')

let harness: Harness
let organization: Organization
let administrator: Caller
let workspace: { workspace: string }
beforeAll(async () => {
  const own = listedSources({
    slug: 'payments',
    title: 'Payments',
    description: 'd',
    type: 5,
    docsUrl: 'https://docs.example',
    guide: [],
    predefinedSchema: appSchema,
  })
  harness = await startControl({ catalog: { ...testCatalog, sources: [...testCatalog.sources, ...own] } })
  organization = await startOrganization(harness)
  administrator = organization.administrator
})
beforeEach(async () => {
  const made = await administrator.ok(
    methods.workspaces.create,
    {},
    { body: { title: 'Main', organization: organization.organization } },
  )
  workspace = { workspace: idIn(made.name) }
})
afterAll(() => harness[Symbol.asyncDispose]())

const bodyOf = (template?: string, app = 'http') => ({
  title: 'Shop',
  app: { name: `catalogSources/${app}` },
  ...(template === undefined ? {} : { schema: { initial_template: { name: template } } }),
})

const create = async (template?: string, app?: string) =>
  (await administrator.ok(methods.sources.create, workspace, { body: bodyOf(template, app) })).name

const read = async (name: string) =>
  administrator.ok(methods.sources.get, { ...workspace, source: idIn(name) }).then(({ schema }) => schema)

const save = (name: string, body: Record<string, unknown>, caller = administrator) =>
  caller.call('PATCH', `/${name}?update_mask=schema&force_refresh=false`, body)

const schemaOf = (events: Record<string, unknown>, user?: unknown) => JSON.stringify({ events, user })

const text = { type: 'string' }
const withTotal = schemaOf({ 'Order Completed': { properties: { total: { type: 'number' } } } })

const versionsOf = async (name: string) => {
  const { schema_versions } = await administrator.ok(methods.schemaVersions.list, {
    ...workspace,
    source: idIn(name),
  })
  return schema_versions
}

test('users who watch a source live are notified of each new schema version, and of nothing else', async () => {
  const name = await create('sourceSchemaTemplates/blank')
  const announced = () => harness.published.filter(({ channel }) => channel === `private-sources-${idIn(name)}`)
  const { version } = await read(name)
  expect((await save(name, { schema: withTotal, schema_version: version })).status).toBe(200)
  const message = { channel: `private-sources-${idIn(name)}`, event: 'schema', data: { version: version + 1 } }
  expect(announced()).toEqual([message])
  // The same text makes no version.
  expect((await save(name, { schema: withTotal, schema_version: version + 1 })).status).toBe(200)
  expect((await save(name, { schema: 'no schema' })).status).toBe(400)
  expect((await administrator.call('PATCH', `/${name}?update_mask=title`, { title: 'Renamed' })).status).toBe(200)
  expect(announced()).toEqual([message])
})

describe('the schema of a new source', () => {
  test('API-42: a new source has the schema of the named template, and the response names the template', async () => {
    const reply = await administrator.call(
      'POST',
      `/workspaces/${workspace.workspace}/sources`,
      bodyOf('sourceSchemaTemplates/e-commerce'),
    )
    expect(reply.status).toBe(200)
    const { name } = reply.body
    expect(name).toMatch(new RegExp(`^workspaces/${workspace.workspace}/sources/[0-9a-f-]{36}$`))
    const shop = templates.find(({ slug }) => slug === 'e-commerce')
    expect(await read(String(name))).toMatchObject({ version: 1, schema: shop && templateSchema(shop) })
    expect(await versionsOf(String(name))).toMatchObject([
      {
        change: 'created',
        author: { name: `users/${administrator.userId}` },
        event_count: shop && Object.keys(shop.events).length,
      },
    ])
  })

  test('a new source without a template, or with the blank one, has a schema without events', async () => {
    for (const name of [await create(), await create('sourceSchemaTemplates/blank')])
      expect(await read(name)).toMatchObject({ schema: '{"events":{}}', version: 1 })
  })

  test('a new source can start with the current schema of another source, and is changed independently', async () => {
    const other = await create('sourceSchemaTemplates/gaming')
    expect((await save(other, { schema: withTotal })).status).toBe(200)
    const copy = await create(other)
    expect(await read(copy)).toMatchObject({ schema: (await read(other)).schema, version: 1 })
    expect((await save(copy, { schema: schemaOf({}) })).status).toBe(200)
    expect(JSON.parse((await read(other)).schema).events).toHaveProperty('Order Completed')
  })

  test('a new source starts with the schema of its app if there is one, and then accepts no template', async () => {
    expect(await administrator.ok(methods.catalogSources.get, { ...workspace, app: 'payments' })).toMatchObject({
      has_predefined_schema: true,
    })
    expect(await administrator.ok(methods.catalogSources.get, { ...workspace, app: 'http' })).toMatchObject({
      has_predefined_schema: false,
    })
    expect(await read(await create(undefined, 'payments'))).toMatchObject({
      schema: formatSourceSchema(appSchema),
      version: 1,
    })
    expect(
      await administrator.call(
        'POST',
        `/workspaces/${workspace.workspace}/sources`,
        bodyOf('sourceSchemaTemplates/blank', 'payments'),
      ),
    ).toMatchObject({
      status: 400,
      body: { reason: 'VALIDATION', metadata: { 'schema.initial_template.name': /schema of its own/ } },
    })
  })

  test('a new source with an unknown template, or with a deleted or foreign source, is refused', async () => {
    const gone = await create()
    await administrator.call('DELETE', `/${gone}`)
    const foreign = await organization.outsider.ok(
      methods.sources.create,
      { workspace: organization.otherWorkspaceId },
      { body: bodyOf() },
    )
    const elsewhere = await administrator.ok(
      methods.sources.create,
      { workspace: organization.workspaceId },
      { body: bodyOf() },
    )
    for (const name of [
      'sourceSchemaTemplates/none',
      'sourceSchemaTemplates/constructor',
      'Blank schema',
      gone,
      foreign.name,
      `workspaces/${workspace.workspace}/sources/${idIn(foreign.name)}`,
      elsewhere.name,
      `workspaces/${workspace.workspace}/sources/${newId()}`,
      `workspaces/${workspace.workspace}/sources/x`,
    ])
      expect([
        name,
        await administrator.call('POST', `/workspaces/${workspace.workspace}/sources`, bodyOf(name)),
      ]).toMatchObject([
        name,
        {
          status: 400,
          body: {
            reason: 'VALIDATION',
            metadata: {
              'schema.initial_template.name': 'There is no template and no source of this workspace with this name',
            },
          },
        },
      ])
    for (const schema of [{}, { initial_template: {} }, { initial_template: { name: '' } }, 'blank'])
      expect(
        (
          await administrator.call('POST', `/workspaces/${workspace.workspace}/sources`, {
            title: 'Shop',
            app: { name: 'catalogSources/http' },
            schema,
          })
        ).status,
      ).toBe(400)
    expect((await administrator.ok(methods.sources.list, workspace)).sources).toEqual([])
  })

  test('a repeated request creates one schema, even if the copied source was deleted in between', async () => {
    const other = await create('sourceSchemaTemplates/finance')
    const body = { ...bodyOf(other), request_id: crypto.randomUUID() }
    const made = await administrator.ok(methods.sources.create, workspace, { body })
    await administrator.call('DELETE', `/${other}`)
    expect(await administrator.ok(methods.sources.create, workspace, { body })).toEqual(made)
    expect(await versionsOf(made.name)).toHaveLength(1)
  })
})

describe('saving a schema', () => {
  test('API-45: saving a schema accepts the whole schema as JSON text, and returns the source with schema and version', async () => {
    const name = await create()
    const before = await harness.audits()
    const reply = await save(name, { schema: withTotal, schema_version: 1 })
    expect(reply).toMatchObject({
      status: 200,
      body: {
        name,
        title: 'Shop',
        schema_version: 2,
        schema: { version: 2, update_time: expect.stringMatching(/^\d{4}-.*Z$/) },
      },
    })
    const answered = methods.sources.update.response.parse(reply.body).schema
    expect(parseSourceSchema(answered.schema)).toEqual(parseSourceSchema(withTotal))
    expect(await read(name)).toEqual(answered)
    const records = (await harness.audits()).slice(before.length)
    expect(records).toMatchObject([
      {
        action: 'sources.update',
        actor_id: administrator.userId,
        resource: name,
        detail: { schema_version: 2, schema_change: 'edited' },
      },
    ])
  })

  test('the history of a schema names its origin', async () => {
    const name = await create()
    await save(name, { schema: withTotal, schema_change: 'imported' })
    await save(name, { schema: schemaOf({}), schema_change: 'restored' })
    await save(name, { schema: withTotal, propertyId: '/events/Order Completed/properties/total' })
    expect((await versionsOf(name)).map(({ version, change }) => [version, change])).toEqual([
      [4, 'property'],
      [3, 'restored'],
      [2, 'imported'],
      [1, 'created'],
    ])
    expect((await save(name, { schema: withTotal, schema_change: 'created' })).status).toBe(400)
  })

  test('saving a schema with other fields changes all of them or none', async () => {
    const name = await create()
    const path = `/${name}?update_mask=title,enforcement,schema`
    const wrong = { title: 'New', enforcement: 'block', schema: '{' }
    expect((await administrator.call('PATCH', path, wrong)).status).toBe(400)
    expect(await administrator.ok(methods.sources.get, { ...workspace, source: idIn(name) })).toMatchObject({
      title: 'Shop',
      enforcement: 'allow',
      schema_version: 1,
    })
    expect(await administrator.call('PATCH', path, { ...wrong, schema: withTotal })).toMatchObject({
      status: 200,
      body: { title: 'New', enforcement: 'block', schema_version: 2 },
    })
  })

  test('saving the same schema, with its keys in any order, makes no version and no record', async () => {
    const name = await create()
    const property = {
      a: text,
      b: { type: 'array', items: { properties: { x: text, y: text }, required: ['x', 'y'] } },
    }
    await save(name, { schema: schemaOf({ A: { properties: property, required: ['a', 'b'] }, B: {} }, {}) })
    const before = [await read(name), await harness.audits()]
    // Also when the version is old: the answer to the first try may have been lost.
    for (const same of [
      schemaOf({ A: { properties: property, required: ['a', 'b'] }, B: {} }, {}),
      schemaOf(
        {
          B: { type: 'object' },
          A: {
            required: ['b', 'a'],
            properties: {
              b: { items: { required: ['y', 'x'], properties: { y: text, x: text } }, type: 'array' },
              a: text,
            },
          },
        },
        { properties: {} },
      ),
    ])
      expect(await save(name, { schema: same, schema_version: 1 })).toMatchObject({
        status: 200,
        body: { schema_version: 2 },
      })
    expect([await read(name), await harness.audits()]).toEqual(before)
  })

  test('saving a schema that another user changed is refused with author and time, and changes nothing', async () => {
    const name = await create()
    const { collaborator } = organization
    await harness.db
      .updateTable('users')
      .set({ first_name: 'Ada', last_name: 'Lovelace' })
      .where('id', '=', collaborator.userId)
      .execute()
    await save(name, { schema: withTotal, schema_version: 1 }, collaborator)
    const current = await read(name)
    expect(await save(name, { schema: schemaOf({ Mine: {} }), schema_version: 1 })).toMatchObject({
      status: 409,
      body: {
        reason: 'SCHEMA_CHANGED',
        message: expect.stringContaining('Ada Lovelace'),
        metadata: { version: '2', author: 'Ada Lovelace', time: current.update_time },
      },
    })
    expect(await read(name)).toEqual(current)
    // A change that names no version is never refused as outdated.
    expect((await save(name, { schema: schemaOf({ Mine: {} }) })).status).toBe(200)
  })

  test('if several people save a schema at once, exactly one succeeds', async () => {
    const name = await create()
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        save(
          name,
          { schema: schemaOf({ [`Event ${index}`]: {} }), schema_version: 1 },
          index % 2 === 0 ? administrator : organization.collaborator,
        ),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(JSON.parse((await read(name)).schema).events).toHaveProperty([`Event ${winner}`])
    expect((await versionsOf(name)).map(({ version }) => version)).toEqual([2, 1])
  })

  test('saving one property keeps everything else, so that concurrent saves are all kept', async () => {
    const name = await create()
    await save(name, { schema: schemaOf({ Kept: {}, Order: { properties: { total: text }, required: ['total'] } }) })
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        save(name, {
          propertyId: `/events/Order/properties/p${index}`,
          // The change is based on the first version, which does not have the event `Kept`.
          schema_version: 1,
          schema: schemaOf({ Order: { properties: { [`p${index}`]: text }, recommended: [`p${index}`] } }),
        }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200))
    const { events } = JSON.parse((await read(name)).schema)
    expect(Object.keys(events)).toEqual(['Kept', 'Order'])
    expect(Object.keys(events.Order.properties).toSorted()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'total'])
    expect(events.Order.required).toEqual(['total'])
    expect(events.Order.recommended.toSorted()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5'])
    expect((await versionsOf(name))[0]).toMatchObject({ version: 8, change: 'property', property_count: 7 })
  })

  test.each([
    ['/user/properties/email', { user: { properties: { email: text } } }, ['user', 'properties', 'email']],
    [
      '/events/A~1B/properties/__proto__',
      { events: { 'A/B': { properties: JSON.parse('{"__proto__":{"type":"string"}}') } } },
      ['events', 'A/B', 'properties', '__proto__'],
    ],
    [
      '/events/E/properties/list/items/properties/x',
      { events: { E: { properties: { list: { type: 'array', items: { properties: { x: text } } } } } } },
      ['events', 'E', 'properties', 'list', 'items', 'properties', 'x'],
    ],
  ])('saving the one property %s adds it, and saving again removes it', async (propertyId, schema, path) => {
    const name = await create()
    expect((await save(name, { propertyId, schema: JSON.stringify(schema) })).status).toBe(200)
    const at = (value: unknown): unknown =>
      path.reduce<unknown>((found, key) => Object.getOwnPropertyDescriptor(found ?? {}, key)?.value, value)
    expect(at(JSON.parse((await read(name)).schema))).toEqual(text)
    expect((await save(name, { propertyId, schema: '{}' })).status).toBe(200)
    expect(at(JSON.parse((await read(name)).schema))).toBeUndefined()
  })

  test.each([
    '',
    'total',
    '/events/A',
    '/events/A/properties',
    '/user/properties/',
    '/events/A/required/0',
    '/user/properties/~2',
  ])('saving a property is refused for %j, which is no property', async (propertyId) => {
    const name = await create()
    expect(await save(name, { propertyId, schema: withTotal })).toMatchObject({
      status: 400,
      body: { reason: 'VALIDATION', metadata: { propertyId: expect.any(String) } },
    })
    expect(await read(name)).toMatchObject({ version: 1 })
  })

  const many = (count: number, value: unknown = {}) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]))

  test.each([
    ['no JSON', '{', /not valid JSON/],
    ['no object', '[]', /must be an object/],
    ['a list for events', '{"events":[]}', /at \/events/],
    [
      'an unknown type',
      schemaOf({ A: { properties: { 'x/y': { type: 'date' } } } }),
      /\(at \/events\/A\/properties\/x~1y\/type\)/,
    ],
    [
      'a pattern',
      schemaOf({ A: { properties: { x: { type: 'string', pattern: '(a+)+$' } } } }),
      /"pattern" is not supported/,
    ],
    ['a reference', schemaOf({ A: { $ref: 'file:///etc/passwd' } }), /"\$ref" is not supported/],
    ['a required name that is no property', schemaOf({ A: { required: ['x'] } }), /names "x"/],
    ['a control character in a name', schemaOf({ 'A\u0000': {} }), /control characters/],
    ['a half of a pair in a name', '{"events":{"\\ud800":{}}}', /control characters/],
    ['too many events', schemaOf(many(schemaLimits.events + 1)), /At most 1000 events/],
    ['too many properties', schemaOf({ A: { properties: many(schemaLimits.properties + 1, text) } }), /At most 500/],
    ['a name of any length', schemaOf({ ['x'.repeat(100_000)]: {} }), /at most 200 characters/],
    ['too much text', schemaOf({}) + ' '.repeat(schemaLimits.bytes), /at most 512 KiB/],
    [
      'too much text once it is written in full',
      schemaOf(many(500, { properties: many(18, { type: 'array', items: {} }) })),
      /at most 512 KiB/,
    ],
    [
      'items of items',
      schemaOf({
        A: { properties: { x: { type: 'array', items: { properties: { y: { type: 'array', items: {} } } } } } },
      }),
      /too deep/,
    ],
    ['a great depth', `{"events":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`, /./],
  ])('saving a schema is refused with %s, names the place, and changes nothing', async (_, schema, message) => {
    const name = await create('sourceSchemaTemplates/e-commerce')
    const before = [await read(name), await harness.audits()]
    const reply = await save(name, { schema })
    expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata: { schema: message } } })
    expect(JSON.stringify(reply.body).length).toBeLessThan(2000)
    expect([await read(name), await harness.audits()]).toEqual(before)
  })

  test('saving is refused without a schema, also for one property, and beyond the maximum body', async () => {
    const name = await create()
    expect(await save(name, { propertyId: '/user/properties/email' })).toMatchObject({
      status: 400,
      body: { metadata: { schema: 'Required' } },
    })
    expect(await administrator.call('PATCH', `/${name}`, { propertyId: '/user/properties/email' })).toMatchObject({
      status: 400,
      body: { metadata: { schema: 'Required' } },
    })
    expect((await save(name, { schema: { events: {} } })).status).toBe(400)
    expect((await save(name, { schema: 'x'.repeat(2 * schemaLimits.bytes) })).status).toBe(413)
  })

  test('saving never makes a schema that breaks a limit, not even one property at a time', async () => {
    const name = await create()
    await save(name, { schema: schemaOf({ A: { properties: many(schemaLimits.properties, text) } }) })
    expect(
      await save(name, {
        propertyId: '/events/A/properties/more',
        schema: schemaOf({ A: { properties: { more: text } } }),
      }),
    ).toMatchObject({ status: 400, body: { metadata: { schema: /At most 500/ } } })
    expect(await read(name)).toMatchObject({ version: 2 })
  })

  test('only permitted members with a session can save a schema, in their own organization', async () => {
    const name = await create()
    const { guest, outsider } = organization
    const body = { schema: withTotal }
    expect((await save(name, body, guest)).status).toBe(403)
    expect((await save(name, body, outsider)).status).toBe(404)
    expect((await harness.call('', 'PATCH', `/${name}?update_mask=schema`, body)).status).toBe(401)
    expect((await save(`workspaces/${organization.workspaceId}/sources/${idIn(name)}`, body)).status).toBe(404)
    expect(await read(name)).toMatchObject({ version: 1 })
  })
})
