// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import {
  formatSourceSchema,
  parseSourceSchema,
  type SourceSchema,
  type SourceWithSchema,
  withProperty,
} from '@tributary/contract'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { sourceQuery } from '../../../lib/queries/workspace-queries.ts'
import { sourceName as name, sourceWith as source } from '../../../testing/source.ts'
import { type SchemaEdit, useEditSchema } from './use-edit-schema.ts'
import '../../../testing/patience.ts'

const schemaOf = (...properties: string[]): SourceSchema =>
  parseSourceSchema(
    JSON.stringify({
      events: { Paid: { properties: Object.fromEntries(properties.map((each) => [each, { type: 'string' }])) } },
    }),
  )
const place = (property: string) => ({ event: 'Paid', parent: undefined, property })
const adding = (property: string, whole = false): SchemaEdit => ({
  change: (schema) => withProperty(schema, place(property), { type: 'string' }),
  ...(whole ? {} : { place: place(property) }),
  notice: 'Done',
})

type SentRequest = { verb: string; url: string; body: Record<string, unknown> }

/** Opens a page with version 1 of a schema with one property. The server sends the given responses in turn. */
const open = (...answers: (() => Response)[]) => {
  const cache = new QueryClient()
  cache.setQueryData(sourceQuery(name).queryKey, source(schemaOf('total'), 1))
  const sent: SentRequest[] = []
  vi.stubGlobal('fetch', async (url: string, { method, body }: { method: string; body?: string }) => {
    sent.push({ verb: method, url, body: body === undefined ? {} : JSON.parse(body) })
    const answer = answers.shift()
    if (answer === undefined) throw new Error('asked too often')
    return answer()
  })
  const { result } = renderHook(() => useEditSchema(name), {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    ),
  })
  const local = (): SourceWithSchema | undefined => cache.getQueryData(sourceQuery(name).queryKey)
  return {
    sent,
    edit: (edit: SchemaEdit) => act(() => result.current.mutateAsync(edit).catch(() => undefined)),
    begin: (edit: SchemaEdit) => act(async () => result.current.mutate(edit)),
    version: () => local()?.schema.version,
    properties: () => [
      ...(parseSourceSchema(local()?.schema.schema ?? '{}')
        .events.get('Paid')
        ?.properties.keys() ?? []),
    ],
  }
}
const answering = (schema: SourceSchema, version: number) => () => Response.json(source(schema, version))
const refusing = (status: number, reason: string) => () =>
  Response.json({ code: status, reason, message: 'no', metadata: { schema: 'no' } }, { status })

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('SCH-16: the schema in the response replaces the local one', async () => {
  const page = open(answering(schemaOf('total', 'coupon', 'of_somebody_else'), 5))
  await page.edit(adding('coupon'))
  expect(page.properties()).toEqual(['total', 'coupon', 'of_somebody_else'])
  expect(page.version()).toBe(5)
})

test('one property is sent with its ID, a whole schema with its base version', async () => {
  const page = open(answering(schemaOf('total', 'a'), 2), answering(schemaOf('total', 'a', 'b'), 3))
  await page.edit(adding('a'))
  await page.edit(adding('b', true))
  expect(page.sent.map(({ verb, url }) => `${verb} ${url}`)).toEqual([
    `PATCH /api/${name}?update_mask=schema&force_refresh=false`,
    `PATCH /api/${name}?update_mask=schema&force_refresh=false`,
  ])
  expect(page.sent.map(({ body }) => body)).toEqual([
    { propertyId: '/events/Paid/properties/a', schema: formatSourceSchema(schemaOf('total', 'a')) },
    { schema: formatSourceSchema(schemaOf('total', 'a', 'b')), schema_version: 2 },
  ])
})

test('a change is shown before the server has responded, and a rejection reverts it', async () => {
  const answer = Promise.withResolvers<Response>()
  const page = open(() => answer.promise as unknown as Response)
  await page.begin(adding('coupon'))
  expect(page.properties()).toEqual(['total', 'coupon'])
  await act(async () => answer.resolve(refusing(400, 'VALIDATION')()))
  await vi.waitFor(() => expect(page.properties()).toEqual(['total']))
})

test('a change that makes the schema invalid is not shown; the server rejects it', async () => {
  const page = open(refusing(400, 'VALIDATION'))
  await page.edit(adding('a\nb'))
  expect(page.sent).toHaveLength(1)
  expect(page.properties()).toEqual(['total'])
})

test('two simultaneous changes are both shown until both have a response', async () => {
  const answer = Promise.withResolvers<Response>()
  const page = open(() => answer.promise as unknown as Response, answering(schemaOf('total', 'a', 'b'), 3))
  await page.begin(adding('a'))
  await page.begin(adding('b'))
  expect(page.sent).toHaveLength(1)
  expect(page.properties()).toEqual(['total', 'a', 'b'])
  await act(async () => answer.resolve(answering(schemaOf('total', 'a'), 2)()))
  expect(page.properties()).toEqual(['total', 'a', 'b'])
  await vi.waitFor(() => expect(page.version()).toBe(3))
})

test('a whole schema is merged with a version that another user saved meanwhile', async () => {
  const page = open(
    refusing(409, 'SCHEMA_CHANGED'),
    answering(schemaOf('total', 'theirs'), 2),
    answering(schemaOf('total', 'theirs', 'mine'), 3),
  )
  await page.edit(adding('mine', true))
  expect(page.sent.map(({ verb }) => verb)).toEqual(['PATCH', 'GET', 'PATCH'])
  expect(page.sent[2]?.body).toEqual({
    schema: formatSourceSchema(schemaOf('total', 'theirs', 'mine')),
    schema_version: 2,
  })
  expect(page.properties()).toEqual(['total', 'theirs', 'mine'])
})
