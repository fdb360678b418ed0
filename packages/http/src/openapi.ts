import { errors, keyAreaOf, type Method } from '@tributary/contract'
import type { z } from 'zod'
import { collectionPaths, collectionSchemas, collectionSecurity } from './openapi-collection.ts'
import { inlineSchema, type Json, type NamedSchemas, nameSchemas, schemaRef } from './openapi-schemas.ts'

const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const queryParameters = (query: z.ZodType | undefined): Json[] => {
  if (query === undefined) return []
  const schema = inlineSchema(query, 'input')
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(record(schema.properties)).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }))
}

const errorResponses = (method: Method): Json => {
  const documented = [...method.errors]
  if (method.access.scope !== 'anybody') documented.push(errors.unauthorized, errors.expired)
  if (method.request !== undefined || method.query !== undefined) documented.push(errors.invalid)
  const byCode = new Map<number, string[]>()
  for (const error of documented) {
    const lines = byCode.get(error.code) ?? []
    const text = `\`${error.reason}\`: ${error.when}`
    if (!lines.includes(text)) byCode.set(error.code, [...lines, text])
  }
  return Object.fromEntries(
    [...byCode].map(([code, lines]) => [
      String(code),
      {
        description: lines.join('\n\n'),
        content: { 'application/json': { schema: schemaRef('Error') } },
      },
    ]),
  )
}

const securityOf = (method: Method): Json[] => {
  if (method.access.scope === 'anybody') return []
  return keyAreaOf(method) === undefined ? [{ session: [] }] : [{ session: [] }, { apiKey: [] }]
}

const operation = (method: Method, names: NamedSchemas): Json => ({
  operationId: method.name,
  summary: method.summary,
  tags: [method.name.split('.')[0]],
  parameters: [...pathParameters(method.path), ...queryParameters(method.query)],
  ...(method.request === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: names.request(method.name) } },
        },
      }),
  responses: {
    '200': {
      description: 'OK',
      content: { 'application/json': { schema: names.response(method.name) } },
    },
    ...errorResponses(method),
  },
  security: securityOf(method),
})

/**
 * Returns the OpenAPI 3.1 description of these methods, which are served below `/api`, and of the calls of collection.
 * Schemas are named below `components/schemas`, so that generated clients are readable.
 */
export const openApiDocument = (methods: readonly Method[], version: string): Json => {
  const names = nameSchemas(methods)
  const paths: Record<string, Json> = {}
  for (const method of methods) {
    paths[method.path] = { ...paths[method.path], [method.verb.toLowerCase()]: operation(method, names) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary API',
      version,
      description:
        'Resources are addressed by name, as `workspaces/{id}/sources/{id}`. Lists are paged with `page_size` and ' +
        '`page_token`; PATCH takes an `update_mask`. Every error has a code, a reason, a message and metadata.',
    },
    servers: [{ url: '/api' }],
    paths: { ...paths, ...collectionPaths() },
    components: {
      schemas: { ...names.schemas, ...collectionSchemas() },
      securitySchemes: {
        ...collectionSecurity,
        session: { type: 'http', scheme: 'bearer', description: 'The access token of a session.' },
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the organization, from its settings.' },
      },
    },
  }
}
