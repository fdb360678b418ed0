import { errorBody, errors, type Method } from '@tributary/contract'
import { z } from 'zod'

type Json = Record<string, unknown>

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

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
  const schema = jsonSchema(query, 'input')
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
  if (!method.public) documented.push(errors.unauthorized, errors.expired)
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
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

const operation = (method: Method): Json => ({
  operationId: method.name,
  summary: method.summary,
  tags: [method.name.split('.')[0]],
  parameters: [...pathParameters(method.path), ...queryParameters(method.query)],
  ...(method.request === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: jsonSchema(method.request, 'input') } },
        },
      }),
  responses: {
    '200': {
      description: 'OK',
      content: { 'application/json': { schema: jsonSchema(method.response, 'output') } },
    },
    ...errorResponses(method),
  },
  security: method.public ? [] : [{ session: [] }],
})

/** The OpenAPI 3.1 description of these methods, served below `/api`. */
export const openApiDocument = (methods: readonly Method[], version: string): Json => {
  const paths: Record<string, Json> = {}
  for (const method of methods) {
    paths[method.path] = { ...paths[method.path], [method.verb.toLowerCase()]: operation(method) }
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
    paths,
    components: {
      schemas: { Error: jsonSchema(errorBody, 'output') },
      securitySchemes: { session: { type: 'http', scheme: 'bearer', description: 'The access token of a login.' } },
    },
  }
}
