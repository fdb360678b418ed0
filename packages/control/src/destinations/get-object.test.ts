import { ConfigurationError, type DestinationDefinition, RetryableError } from '@tributary/connector-kit'
import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, listed, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { mappedCatalog, mappedDestination, startMapped } from '../testing/mapped-destination.ts'

const field = { name: 'plan', label: 'Plan', type: 'enumeration', required: true, unique: false }
const options = Array.from({ length: 150 }, (_, at) => ({ value: `v${at}`, label: `V ${at}` }))

const describeRows: DestinationDefinition['describeRows'] = async ({ settings }, { object, name }) => {
  const secret = JSON.stringify(settings['signing_secret'])
  if (name === 'away') throw new RetryableError(`No answer from ${secret}`)
  if (name === 'wrong') throw new ConfigurationError('The access token lacks a scope')
  if (name === 'faulty') throw new TypeError('undefined is not a function')
  return {
    fields: [{ ...field, options }],
    facts: [{ title: 'Asked', value: `${object} ${name} ${secret}` }],
  }
}
const address = ({ name }: { name: string }): string => name
const row = { title: 'Rows', description: 'd', syncModes: ['UPSERT_ONLY'], address } as const

let harness: Harness
let organization: Organization
let made: Awaited<ReturnType<typeof startMapped>>
beforeAll(async () => {
  const destination: DestinationDefinition = {
    ...mappedDestination,
    deliverRows: async () => ({ outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 0 }),
    rowObjects: [
      { ...row, name: 'table' },
      { ...row, name: 'contacts', named: false },
    ],
    describeRows,
  }
  harness = await startControl({ catalog: { ...mappedCatalog, destinations: listed(destination) } })
  organization = await startOrganization(harness)
  made = await startMapped(harness, organization)
})
afterAll(() => harness[Symbol.asyncDispose]())

const ask = (query: { object: string; object_name?: string }) =>
  organization.collaborator.ok(methods.destinations.getObject, made.params, { query })

test('a destination describes an object by name, with its fields, the first 100 values of each, and non-secret facts', async () => {
  const described = await ask({ object: 'table', object_name: 'customers' })
  expect(described).toEqual({
    fields: [{ ...field, options: options.slice(0, 100) }],
    facts: [{ title: 'Asked', value: 'table customers "[redacted]"' }],
    message: '',
  })
  expect((await ask({ object: 'contacts', object_name: 'x' })).facts[0]?.value).toContain('contacts contacts')
})

test.each([
  ['away', 'No answer from "[redacted]"'],
  ['wrong', 'The access token lacks a scope'],
  ['faulty', 'The destination could not be asked'],
])(
  'a destination that cannot be reached (%s) gives a successful response with a message',
  async (object_name, message) => {
    expect(await ask({ object: 'table', object_name })).toEqual({ fields: [], facts: [], message })
  },
)

test('an unknown object is refused, and so is the destination of another workspace', async () => {
  const { guest, administrator, workspaceId } = organization
  const path = `/${made.destination.name}/object`
  expect(await administrator.call('GET', `${path}?object=users`)).toMatchObject({ status: 400 })
  expect(await guest.call('GET', `${path}?object=table`)).toMatchObject({ status: 403 })
  const other = await startOrganization(harness)
  const foreign = path.replace(workspaceId, other.workspaceId)
  expect(await other.administrator.call('GET', `${foreign}?object=table`)).toMatchObject({ status: 404 })
})
