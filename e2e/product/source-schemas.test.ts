import { readFileSync } from 'node:fs'
import { createSource, createWorkspace } from '@tributary/test-kit'
import { beforeAll, expect, test } from 'vitest'
import { post, track } from './calls.ts'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
let workspace: string
beforeAll(async () => {
  product = await joinProduct()
  workspace = (await createWorkspace(product.api)).workspace
})

/** Returns a schema of nearly the maximum of 512 KiB: a thousand events with as many properties as fit. */
const largest = (title: string): string => {
  const properties = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`p${index}`, { type: 'string' }]))
  const events = Array.from({ length: 1000 }, (_, index) => [
    `${title} ${index}`,
    { properties, required: ['p0', 'p1'], recommended: ['p2'] },
  ])
  return JSON.stringify({ events: Object.fromEntries(events) })
}

const residentBytes = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${product.pid}/status`, 'utf8'))?.[1]) * 1024

test('a schema of the maximum size is imported repeatedly while events continue to be accepted', async () => {
  const { source, key } = await createSource(product.api, workspace)
  const path = `/${source}?update_mask=schema&force_refresh=false`
  const save = (round: number) => {
    const body = { schema: largest(`Round ${round}`), schema_version: round, schema_change: 'imported' }
    expect(body.schema.length).toBeGreaterThan(400 * 1024)
    return product.api.ok('PATCH', path, body)
  }
  await save(1)
  const before = residentBytes()
  let taken = 0
  let slowest = 0
  let saving = true
  const sending = (async () => {
    while (saving) {
      const started = performance.now()
      const answer = await post(product, '/v1/track', key, track(`during-${taken}`))
      slowest = Math.max(slowest, performance.now() - started)
      expect(answer.status).toBe(200)
      taken++
    }
  })()
  const started = performance.now()
  for (let round = 2; round <= 7; round++)
    expect(await save(round)).toMatchObject({ schema_version: round + 1, schema: { version: round + 1 } })
  const each = (performance.now() - started) / 6
  saving = false
  await sending
  // With eight processes waiting for each core, a save took 1.2 s, and 15 saves took 150 MB. The limit only catches
  // extreme growth.
  expect(each).toBeLessThan(5000)
  expect(slowest).toBeLessThan(5000)
  expect(taken).toBeGreaterThan(5)
  expect(residentBytes() - before).toBeLessThan(400 * 1024 * 1024)

  const listed = await product.api.ok('GET', `/${source}/schemaVersions?page_size=2`)
  expect(listed.schema_versions).toMatchObject([
    { version: 8, change: 'imported', event_count: 1000, property_count: 15_000 },
    { version: 7 },
  ])
  const first = await product.api.ok('GET', `/${source}/schemaVersions/2`)
  expect(Object.keys(JSON.parse(String(first.schema)).events)[999]).toBe('Round 1 999')
})

test('a source of an app with its own schema starts with that schema, and accepts no template', async () => {
  const { catalog_sources } = await product.api.ok('GET', `/${workspace}/catalogSources`)
  const apps = (catalog_sources as { name: string; has_predefined_schema: boolean }[]).filter(
    (app) => app.has_predefined_schema,
  )
  expect(apps.map(({ name }) => name)).toContain('catalogSources/stripe')
  for (const { name } of apps) {
    const body = { title: 'Own', app: { name } }
    const { name: source } = await product.api.ok('POST', `/${workspace}/sources`, body)
    const { schema } = (await product.api.ok('GET', `/${String(source)}`)) as {
      schema: { schema: string; version: number }
    }
    expect(schema.version).toBe(1)
    expect(Object.keys(JSON.parse(schema.schema).events).length).toBeGreaterThan(5)
    const templated = { ...body, schema: { initial_template: { name: 'sourceSchemaTemplates/blank' } } }
    expect((await product.api.call('POST', `/${workspace}/sources`, templated)).status).toBe(400)
  }
})
