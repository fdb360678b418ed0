import { methodList } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  parameters?: { name: string; in: string }[]
  security: Json[]
  responses: Record<string, { content: Record<string, { schema: { $ref?: string } }> }>
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> }
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; securitySchemes: Json }
}

const document = JSON.parse(JSON.stringify(openApiDocument(methodList, '1.0.0'))) as Document
const { schemas, securitySchemes } = document.components
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([verb]) => verb !== 'servers')
    .map(([verb, operation]) => ({ path, verb, operation })),
)
const refs = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref ?? '')

test('every reference has a schema, and every schema is referenced', () => {
  const found = new Set(refs(document))
  const known = Object.keys(schemas).map((name) => `#/components/schemas/${name}`)
  expect([...found].filter((ref) => !known.includes(ref))).toEqual([])
  expect(known.filter((ref) => !found.has(ref))).toEqual([])
})

test('every operation has a unique ID, declared path parameters, and declared security schemes', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, operation } of operations) {
    const declared = (operation.parameters ?? []).filter((each) => each.in === 'path').map(({ name }) => name)
    expect([path, declared]).toEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)])
    for (const scheme of operation.security.flatMap((each) => Object.keys(each)))
      expect(securitySchemes).toHaveProperty(scheme)
  }
})

test('bodies and responses are named schemas; shared ones have a common name', () => {
  const { get } = document.paths['/workspaces/{workspace}/sources'] ?? {}
  expect(get?.responses['200']?.content['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/SourcesListResponse',
  })
  expect(JSON.stringify(schemas.EventsListResponse)).toContain('"#/components/schemas/EventSummary"')
  expect(document.paths['/workspaces/{workspace}/destinations/{destination}']?.get?.responses['200']?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/Destination' } },
  })
  for (const name of ['Event', 'PendingEvent'])
    expect(JSON.stringify(schemas.EventsGetResponse)).toContain(`"#/components/schemas/${name}"`)
  for (const { operation } of operations.filter(({ path }) => !path.includes('pixel') && !/webhook|forward/.test(path)))
    for (const each of [operation.requestBody, operation.responses['200']])
      if (each !== undefined) expect(each.content['application/json']?.schema.$ref).toMatch(/^#/)
})

test('a schema whose request form differs from the response has its own name: the request does not require defaults', () => {
  expect(schemas.FieldMapping?.required).toContain('enabled')
  expect(schemas.FieldMappingInput?.required).not.toContain('enabled')
  expect(refs(schemas.EventMappingInput)).toContain('#/components/schemas/FieldMappingInput')
  expect(refs(schemas.EventMapping)).toContain('#/components/schemas/FieldMapping')
})

test('the calls of collection are described at the root of the server, with their keys, responses, and errors', () => {
  for (const path of [
    '/v1/track',
    '/v1/identify',
    '/v1/page',
    '/v1/screen',
    '/v1/group',
    '/v1/alias',
    '/v1/batch',
    '/v1/import',
  ]) {
    const { post, servers } = document.paths[path] ?? {}
    expect(servers).toEqual([{ url: '/' }])
    expect(Object.keys(post?.responses ?? {})).toEqual(['200', '400', '401', '403', '404', '413', '429', '503'])
    expect(post?.security).toEqual([{ writeKeyBasic: [] }, { writeKeyHeader: [] }, { writeKeyQuery: [] }])
  }
  for (const path of ['/v1/pixel/{type}', '/pixel/v1/{type}'])
    expect(document.paths[path]?.get?.responses).toHaveProperty('200')
})
