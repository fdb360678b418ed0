import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  errorBody,
  formatPath,
  line,
  type MethodParams,
  type MethodRequest,
  methodList,
  methods,
  pageQuery,
  resourceNames,
  type SettingValue,
} from '../index.ts'

describe('every method', () => {
  test.each(methodList.map((method) => [method.name, method] as const))(
    'the method %s has a valid name, path, summary, request, query, and errors',
    (name, method) => {
      expect(name).toMatch(/^[a-z]\w*\.[a-z]\w*$/)
      expect(method.path).toMatch(/^\/[a-z]\w*(\/\{[a-z_]+\}|\/[a-z]\w*)*(:[a-z]\w*)?$/i)
      expect(method.summary).toMatch(/^[A-Z].+\.$/)
      expect(method.request !== undefined).toBe(['POST', 'PUT', 'PATCH'].includes(method.verb))
      expect(method.query === undefined || method.verb !== 'DELETE').toBe(true)
      for (const error of method.errors) expect(error.reason).toMatch(/^[A-Z][A-Z0-9_]+[A-Z0-9]$/)
    },
  )

  test('every method is named after its path: its group and its verb', () => {
    const reached = Object.entries(methods).flatMap(([group, verbs]) =>
      Object.entries(verbs).map(([verb, method]) => [`${group}.${verb}`, method.name]),
    )
    expect(reached.filter(([path, name]) => path !== name)).toEqual([])
  })

  test('every method has a unique name and route', () => {
    const routes = methodList.map((method) => `${method.verb} ${method.path.replace(/\{\w+\}/g, '{}')}`)
    expect(new Set(routes).size).toBe(routes.length)
    expect(new Set(methodList.map((method) => method.name)).size).toBe(methodList.length)
  })

  test('every method is addressed by a resource name, or by a collection at the root or in its parent (DATA-11b)', () => {
    const shape = (pattern: string): string => pattern.replace(/\{\w+\}/g, '{}')
    const names = new Set(Object.values(resourceNames).map(({ pattern }) => shape(pattern)))
    const isAddress = (path: string): boolean => {
      if (names.has(path)) return true
      // A collection or a singleton: its parent is a resource, or the path has one part only.
      const parent = path.split('/').slice(0, -1).join('/')
      return !path.endsWith('}') && (parent === '' || names.has(parent))
    }
    const others = methodList
      .map(({ path }) => shape(path.slice(1)).replace(/:\w+$/, ''))
      .filter((path) => !isAddress(path))
    // Catalog entries are below a workspace, because each has the number of instances in that workspace. Invitations
    // are at the top level, because an invited user has no organization yet.
    expect(new Set(others)).toEqual(
      new Set([
        'workspaces/{}/catalogSources/{}',
        'workspaces/{}/catalogDestinations/{}',
        'workspaces/{}/catalogDataSources/{}',
        'invitations/{}',
      ]),
    )
  })

  test('every method can be described as JSON schema', () => {
    for (const method of methodList) {
      if (method.request !== undefined) expect(z.toJSONSchema(method.request, { io: 'input' })).toHaveProperty('type')
      if (method.query !== undefined) expect(z.toJSONSchema(method.query, { io: 'input' })).toHaveProperty('type')
      const answer = z.toJSONSchema(method.response, { io: 'output' })
      for (const each of answer.oneOf ?? [answer]) expect(each).toHaveProperty('type', 'object')
    }
  })

  test('every method that lists resources has paging, unless the list is short', () => {
    const few = [
      'plans.list',
      'paymentMethods.list',
      'invoices.list',
      'subscriptions.listChanges',
      'onboardings.list',
      'customDomains.list',
      'warehouseLoads.listTables',
    ]
    const lists = methodList.filter((method) => /\.list/.test(method.name) && !few.includes(method.name))
    expect(lists.length).toBeGreaterThan(8)
    for (const method of lists) {
      expect(method.query?.parse({})).toMatchObject({ page_size: 50, page_token: '' })
      expect(z.toJSONSchema(method.response).required).toContain('next_page_token')
    }
  })

  test('every method gives callers the types of its parameters and body', () => {
    expectTypeOf<MethodParams<typeof methods.sources.get>>().toEqualTypeOf<{ workspace: string; source: string }>()
    expectTypeOf<MethodRequest<typeof methods.sources.create>>().toEqualTypeOf<{
      title: string
      app: { name: string }
      schema?: { initial_template: { name: string } } | undefined
      settings?: Record<string, SettingValue> | undefined
      request_id?: string | undefined
    }>()
    expectTypeOf<MethodRequest<typeof methods.sources.get>>().toEqualTypeOf<undefined>()
  })
})

describe('page_size', () => {
  test.each([
    [undefined, 50],
    ['0', 50],
    [0, 50],
    ['7', 7],
    ['1000', 1000],
    ['1001', 1000],
    [5000, 1000],
  ])('the page_size %s means %s rows', (given, rows) => {
    expect(pageQuery.parse({ page_size: given }).page_size).toBe(rows)
  })

  test.each(['-1', -5, 'ten', '', '1.5', '99999999999'])('the page_size %s is refused', (given) => {
    expect(pageQuery.safeParse({ page_size: given }).success).toBe(false)
  })
})

describe('a line of text', () => {
  test.each(['Shop', 'Café 咖啡', 'a'.repeat(10), '  kept  '])('%j is accepted as a line of text', (text) => {
    expect(line(10).parse(text)).toBe(text.trim())
  })
  test.each(['a\nb', 'a\u0000', '\u202eevil', 'tab\there', '\u001b[31m', 'half \ud800', 'a'.repeat(11)])(
    '%j is refused as a line of text',
    (text) => {
      expect(line(10).safeParse(text).success).toBe(false)
    },
  )
})

describe('resource names', () => {
  test('a resource name is formatted and parsed back', () => {
    const name = resourceNames.source.format({ workspace: 'w-1', source: 's-1' })
    expect(name).toBe('workspaces/w-1/sources/s-1')
    expect(resourceNames.source.parse(name)).toEqual({ workspace: 'w-1', source: 's-1' })
  })
  test.each([
    'workspaces/w',
    'workspaces/w/sources/',
    'workspaces/w/destinations/d',
    'workspaces/w/sources/a/b',
    '/workspaces/w/sources/s',
    'workspaces/w/sources/s:go',
    'workspaces/w/sources/s\n',
    'xworkspaces/w/sources/s',
  ])('%j is not the name of a source', (name) => {
    expect(resourceNames.source.parse(name)).toBeUndefined()
  })
  test('a path with a missing parameter is never formatted', () => {
    expect(() => formatPath('/workspaces/{workspace}', {})).toThrow(/workspace/)
    expect(() => formatPath('/workspaces/{workspace}', { workspace: '' })).toThrow(/workspace/)
    expect(formatPath('/users/{user}', { user: 'a/b:c' })).toBe('/users/a%2Fb%3Ac')
  })
})

test('an error body without code, reason, message, or metadata is invalid', () => {
  const body = { code: 400, reason: 'VALIDATION', message: 'no', metadata: {} }
  expect(errorBody.parse(body)).toEqual(body)
  for (const key of Object.keys(body)) expect(errorBody.safeParse({ ...body, [key]: undefined }).success).toBe(false)
})
